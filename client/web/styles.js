// Style sheets that only some pages need.

/** Load a style sheet beside this file, once. @param {string} name @returns {Promise<void>} */
export function loadStyles(name) {
  const href = new URL(name, import.meta.url).href;
  if ([...document.querySelectorAll("link")].some((link) => link.href === href)) return Promise.resolve();
  return new Promise((done) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    for (const event of ["load", "error"]) link.addEventListener(event, () => done(), { once: true });
    document.head.append(link);
  });
}
