"""How people come in and go: doors, consent, questionnaire, passwords, letters, their own data, and pay."""
