// Scripts of every page: copy buttons, revealing of keys, and protection against double submits.

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
