// Tells about changes of the settings that are not saved, and warns before they are lost.

const form = document.querySelector('form.settings')
const note = form.querySelector('[data-unsaved]')

/** The entries of the form, without its tokens, which differ between pages. */
const entries = () =>
  JSON.stringify([...new FormData(form)].filter(([name]) => !['_csrf', 'version'].includes(name)))

/** Entries that are saved; undefined for a refused form, which contains changes. */
const saved = document.querySelector('[role=alert], [aria-invalid]') === null ? entries() : undefined
const isChanged = () => entries() !== saved
let isSent = false

const show = () => {
  note.hidden = !isChanged()
}
form.addEventListener('input', show)
form.addEventListener('submit', () => {
  isSent = true
})
addEventListener('pageshow', () => {
  isSent = false
  show()
})
addEventListener('beforeunload', (event) => {
  if (!isSent && isChanged()) event.preventDefault()
})
