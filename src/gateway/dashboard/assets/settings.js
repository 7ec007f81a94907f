// Tells about changes of the settings that are not saved, and warns before they are lost. Entries that an ended session
// kept from being saved are filled in again after the log-in.

const form = document.querySelector('form.settings')
const note = form.querySelector('[data-unsaved]')

/** The entries of the form, without its tokens, which differ between pages. */
const entries = () =>
  JSON.stringify([...new FormData(form)].filter(([name]) => !['_csrf', 'version'].includes(name)))

/** Entries that are saved; undefined for a refused form, which contains changes. */
const saved = document.querySelector('[role=alert], [aria-invalid]') === null ? entries() : undefined
const isChanged = () => entries() !== saved
let isSent = false

/** Entries of the last sent form, in this tab, until its answer is shown. */
const sentKey = `sent ${location.pathname}`
const isAnswered = document.querySelector('main :is([role=status], [role=alert], [aria-invalid])') !== null

/** Fills in entries that were sent and not answered, with the version that they were based on. */
const fill = (sent) => {
  for (const control of form.elements) {
    const values = sent.filter(([name]) => name === control.name).map(([, value]) => value)
    if (control.type === 'radio' || control.type === 'checkbox')
      control.checked = values.includes(control.value)
    else if (values.length > 0) control.value = values[0]
  }
}
const sent = sessionStorage.getItem(sentKey)
sessionStorage.removeItem(sentKey)
if (sent !== null && !isAnswered) fill(JSON.parse(sent))

const show = () => {
  note.hidden = !isChanged()
}
form.addEventListener('input', show)
form.addEventListener('submit', () => {
  isSent = true
  sessionStorage.setItem(
    sentKey,
    JSON.stringify([...new FormData(form)].filter(([name]) => name !== '_csrf')),
  )
})
addEventListener('pageshow', () => {
  isSent = false
  show()
})
addEventListener('beforeunload', (event) => {
  if (!isSent && isChanged()) event.preventDefault()
})
