-- A store as the first migration (0001) made it, with a little of everything. Never to be changed.
BEGIN TRANSACTION;
CREATE TABLE annotators (
	campaign TEXT NOT NULL, 
	annotator TEXT NOT NULL, 
	role TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (campaign, annotator), 
	FOREIGN KEY(campaign) REFERENCES campaigns (campaign)
);
INSERT INTO "annotators" VALUES('news','fox','annotator','person',1767268800000000);
CREATE TABLE campaigns (
	campaign TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (campaign)
);
INSERT INTO "campaigns" VALUES('news',7,1767268800000000);
CREATE TABLE drafts (
	campaign TEXT NOT NULL, 
	annotator TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	item TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (campaign, annotator, phase, item), 
	FOREIGN KEY(campaign) REFERENCES campaigns (campaign)
);
INSERT INTO "drafts" VALUES('news','fox','main','p2',1767268800000000,'{"similarity":"2"}');
CREATE TABLE events (
	campaign TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	annotator TEXT, 
	"key" TEXT, 
	data TEXT NOT NULL, 
	PRIMARY KEY (campaign, seq), 
	CONSTRAINT events_key UNIQUE (campaign, annotator, "key")
);
INSERT INTO "events" VALUES('news',1,1767268800000000,'joined','fox',NULL,'{"role":"annotator","kind":"person"}');
INSERT INTO "events" VALUES('news',2,1767268801000000,'shown','fox',NULL,'{"phase":"main","block":0,"item":"p1","version":1,"until":"2026-01-01T12:30:01+00:00"}');
INSERT INTO "events" VALUES('news',3,1767268809000000,'answered','fox','k1','{"phase":"main","block":0,"block_name":"main","item":"p1","version":1,"answers":{"similarity":[["4","answered"]]},"status":"answered","key":"k1","shown_at":"2026-01-01T12:00:01+00:00","focused":6.5,"language":"cs","revision":1,"supersedes":null,"right":null,"notes":{}}');
CREATE TABLE invitations (
	hash TEXT NOT NULL, 
	campaign TEXT NOT NULL, 
	role TEXT NOT NULL, 
	uses TEXT NOT NULL, 
	annotator TEXT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT, 
	used_at BIGINT, 
	withdrawn BOOLEAN NOT NULL, 
	PRIMARY KEY (hash), 
	FOREIGN KEY(campaign) REFERENCES campaigns (campaign)
);
INSERT INTO "invitations" VALUES('9f67cc79cfa73ee4aebb1944adb36dc80d49d6023fed48dcb254bbd7983eedc9','news','annotator','personal','fox',1767268800000000,NULL,1767268800000000,0);
CREATE TABLE items (
	campaign TEXT NOT NULL, 
	item TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	data TEXT, 
	PRIMARY KEY (campaign, item, version, revision), 
	FOREIGN KEY(campaign) REFERENCES campaigns (campaign)
);
INSERT INTO "items" VALUES('news','p1',1,1,'{"item":"p1","kind":"pair","content":{"text_a":"Kůň běží.","text_b":"Pes 1 spí."},"version":1}');
INSERT INTO "items" VALUES('news','p2',1,1,'{"item":"p2","kind":"pair","content":{"text_a":"Kůň běží.","text_b":"Pes 2 spí."},"version":1}');
CREATE TABLE judgments (
	campaign TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	number INTEGER NOT NULL, 
	item TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	question TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	annotator TEXT, 
	value TEXT, 
	given TEXT NOT NULL, 
	status TEXT NOT NULL, 
	phase TEXT NOT NULL, 
	block TEXT NOT NULL, 
	shown_at BIGINT, 
	answered_at BIGINT NOT NULL, 
	seconds DOUBLE, 
	focused_seconds DOUBLE, 
	supersedes BIGINT, 
	revision INTEGER NOT NULL, 
	language TEXT, 
	notes TEXT, 
	PRIMARY KEY (campaign, seq, number)
);
INSERT INTO "judgments" VALUES('news',3,1,'p1',1,'similarity',1,'fox','4','answered','answered','main','main',1767268801000000,1767268809000000,8.0,6.5,NULL,1,'cs',NULL);
CREATE TABLE kostra_schema (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT kostra_schema_pkc PRIMARY KEY (version_num)
);
INSERT INTO "kostra_schema" VALUES('0001');
CREATE TABLE revisions (
	campaign TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	protocol TEXT NOT NULL, 
	material TEXT NOT NULL, 
	difference TEXT NOT NULL, 
	PRIMARY KEY (campaign, revision), 
	FOREIGN KEY(campaign) REFERENCES campaigns (campaign)
);
INSERT INTO "revisions" VALUES('news',1,1767268800000000,'{"phases":[{"name":"main","task":"rating","questions":[{"name":"similarity","prompt":"","examples":[],"low":0.0,"high":5.0,"labels":[],"labels_in":{},"prompt_in":{},"optional":false,"reverse":false,"control":"buttons","about":null,"shows_words":false,"impossible":false,"at_most":null,"differs_from":[]}],"overlap":1,"overlap_at_least":null,"role":"annotator","blocks":[{"purpose":"main","items":null,"groups":null,"items_from":null,"from_phase":null,"attempts":2,"checks":[],"title":"","text":"","text_file":null}],"deal":"queue","after":null,"items_after":null,"pause_hours":0.0,"same_order_as":null,"gold":null,"may_skip":false,"never_in_one_sitting":[],"highlights":false,"spelling":null,"corrects":false,"suggests":false,"validates":null}],"policy":"random","adaptive":{"size":4,"answers_per_item":2.4,"target_error":null},"lease_minutes":30.0,"idle_days":14.0,"sitting_hours":4.0,"payment":"","contact":"","answers":"data/judgments.csv"}','{"items":["p1","p2"],"blocks":[["main",0,["p1","p2"]]],"by_step":{"pairs":["p1","p2"]},"members":{}}','the first');
CREATE TABLE sessions (
	hash TEXT NOT NULL, 
	campaign TEXT NOT NULL, 
	annotator TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	PRIMARY KEY (hash), 
	FOREIGN KEY(campaign) REFERENCES campaigns (campaign)
);
INSERT INTO "sessions" VALUES('77c051bf2bbe82cae86a437efe44aed5fbae608276382023d2eb16919e5d058d','news','fox',1767268800000000,1769860800000000);
CREATE INDEX judgments_supersedes ON judgments (campaign, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX sessions_annotator ON sessions (campaign, annotator);
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are only appended to'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are only appended to'); END;
CREATE TRIGGER judgments_no_update BEFORE UPDATE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are only appended to'); END;
CREATE TRIGGER judgments_no_delete BEFORE DELETE ON judgments BEGIN SELECT RAISE(ABORT, 'judgments are only appended to'); END;
COMMIT;
