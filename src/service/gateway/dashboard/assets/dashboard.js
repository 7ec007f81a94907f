// Scripts of every page: copy and print buttons, revealing of keys, protection against double submits, and forms of ended sessions.

const shownMs = 1500

/** Announces results to screen readers, which do not read the changed text of a labelled button. */
const announcement = document.createElement('p')
announcement.className = 'unseen'
announcement.role = 'status'
document.body.append(announcement)

// Without TLS, browsers allow clipboard access only on localhost.
const copyButtons =
  navigator.clipboard === undefined
    ? []
    : document.querySelectorAll('button[data-copy], button[data-copy-from]')
for (const button of copyButtons) {
  button.hidden = false
  const words = button.textContent
  button.addEventListener('click', async () => {
    const copied = await copy(button.dataset).then(
      () => true,
      () => false,
    )
    button.textContent = copied ? 'Copied' : 'Not copied'
    announcement.textContent = button.textContent
    setTimeout(() => {
      button.textContent = words
      announcement.textContent = ''
    }, shownMs)
  })
}

/** Copies a text, or the URL of the key whose page is named. */
function copy({ copy: text, copyFrom: page }) {
  if (page === undefined) return navigator.clipboard.writeText(text)
  // Safari allows only a write that begins with the click.
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': urlOf(page) })])
}

/** Reads the URL of a key from its page. */
async function urlOf(page) {
  const answer = await fetch(page, { redirect: 'error' })
  const { body } = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return new Blob([body.querySelector('[data-secret-text]').dataset.secretText], { type: 'text/plain' })
}

for (const button of document.querySelectorAll('button[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}

const reveals = document.querySelectorAll('a[data-reveal]')
for (const link of reveals) {
  link.addEventListener('click', (event) => {
    event.preventDefault()
    showSecrets(link.dataset.reveal !== 'shown')
  })
}

/** Reveals or hides all keys of the page. */
function showSecrets(isShown) {
  for (const code of document.querySelectorAll('[data-secret-text]'))
    code.textContent = isShown ? code.dataset.secretText : code.dataset.secret
  for (const link of reveals) {
    link.dataset.reveal = isShown ? 'shown' : 'hidden'
    link.textContent = isShown ? 'Hide' : 'Reveal'
  }
}

/** Time for which a form cannot be submitted twice, in milliseconds. */
const sentMs = 5000
const sent = new WeakSet()
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post' || event.defaultPrevented) return
  if (sent.has(form)) event.preventDefault()
  sent.add(form)
  setTimeout(() => sent.delete(form), sentMs)
})
addEventListener('pageshow', () => {
  for (const form of document.forms) sent.delete(form)
})

/** The last sent form of this tab, until a page answers it: the log-in of an ended session does not. */
const sentName = 'sent form'
/** Fields that are not kept: codes of second factors, and a key that was pasted, which may be a private one. */
const unkept = ['_csrf', 'code', 'recovery', 'jwtPublicKey']
const pageOf = ({ pathname, search }) => pathname + search
document.addEventListener('submit', (event) => {
  const form = event.target
  const hasFields = form.querySelector('.field') !== null && form.querySelector('[type=password]') === null
  if (form.method !== 'post' || !hasFields || event.defaultPrevented) return
  const entries = [...new FormData(form)].filter(([name]) => !unkept.includes(name))
  const kept = { page: pageOf(location), action: form.action, entries }
  sessionStorage.setItem(sentName, JSON.stringify(kept))
})

/** Fills in entries that were sent and not answered, with the version that they were based on. */
function fillAgain() {
  if (location.pathname.startsWith('/login')) return
  const kept = JSON.parse(sessionStorage.getItem(sentName))
  sessionStorage.removeItem(sentName)
  const isAnswered = document.querySelector('main :is([role=status], [role=alert], [aria-invalid])') !== null
  if (kept?.page !== pageOf(location) || isAnswered) return
  const form = [...document.forms].find(({ action }) => action === kept.action)
  for (const control of form?.elements ?? []) {
    const values = kept.entries.filter(([name]) => name === control.name).map(([, value]) => value)
    const isChoice = control.type === 'radio' || control.type === 'checkbox'
    if (isChoice) control.checked = values.includes(control.value)
    else if (values.length > 0) control.value = values[0]
  }
}
// After the scripts of the page, which compare the form with what is saved.
document.addEventListener('DOMContentLoaded', fillAgain)

/** Scrolls a list to an entry, and never the page, which a refused field may have scrolled. */
function scrollMenu(list, { offsetLeft, offsetWidth }) {
  list.scrollLeft = offsetLeft - list.offsetLeft - (list.clientWidth - offsetWidth) / 2
}

// On phones, menus are scrolled sideways.
for (const current of document.querySelectorAll('.menu [aria-current]'))
  scrollMenu(current.closest('ul'), current)
