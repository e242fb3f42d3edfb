// Best and worst: one cannot be both, so that choosing one as the other takes the first choice back.

export function enhanceBestWorst(form) {
  const members = [...form.querySelectorAll("[data-member]")];
  if (!members.length) return;
  const draw = () => {
    for (const member of members) {
      for (const name of ["best", "worst"]) {
        member.classList.toggle(`is-${name}`, member.querySelector(`input[name="${name}"]`)?.checked ?? false);
      }
    }
  };
  form.addEventListener("change", (event) => {
    const other = { best: "worst", worst: "best" }[event.target.name];
    const same = other && event.target.closest("[data-member]")?.querySelector(`input[name="${other}"]`);
    if (same) same.checked = false;
    draw();
  });
  draw();
}
