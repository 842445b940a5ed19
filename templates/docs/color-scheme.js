// Runs before the page is drawn: applies the reader's color scheme, and shows the controls that need a script.
const root = document.documentElement
root.dataset.script = ''
try {
  const scheme = localStorage.getItem('scheme')
  if (scheme) root.dataset.scheme = scheme
} catch {
  // The browser stores nothing, so the page has the scheme of the system.
}
