// What every page does where scripts run: copy buttons, secrets shown in place, times as they are here.

const shownMs = 1500

/** Says what was done to those who do not see it: a button that has a label of its own does not tell its text. */
const said = document.createElement('p')
said.className = 'unseen'
said.role = 'status'
document.body.append(said)

// Without TLS, browsers lend the clipboard to pages of this machine alone.
const copyButtons = navigator.clipboard === undefined ? [] : document.querySelectorAll('button[data-copy]')
for (const button of copyButtons) {
  button.hidden = false
  const words = button.textContent
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(button.dataset.copy).then(
      () => true,
      () => false,
    )
    button.textContent = copied ? 'Copied' : 'Not copied'
    said.textContent = button.textContent
    setTimeout(() => {
      button.textContent = words
      said.textContent = ''
    }, shownMs)
  })
}

const reveals = document.querySelectorAll('a[data-reveal]')
for (const link of reveals) {
  link.addEventListener('click', (event) => {
    event.preventDefault()
    showSecrets(link.dataset.reveal !== 'shown')
  })
}

/** All of a page at once: each text with a key in it, and the links that reveal them. */
function showSecrets(isShown) {
  for (const code of document.querySelectorAll('[data-secret-text]'))
    code.textContent = isShown ? code.dataset.secretText : code.dataset.secret
  for (const link of reveals) {
    link.dataset.reveal = isShown ? 'shown' : 'hidden'
    link.textContent = isShown ? 'Hide' : 'Reveal'
  }
}

// As wide as the text that it replaces, so that nothing moves when the page was painted before.
const format = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
})
for (const time of document.querySelectorAll('time[data-local]')) {
  time.title = time.textContent
  time.textContent = format.format(new Date(time.dateTime))
}

/**
 * A form that is on its way is not sent again: what the first made, a second would find made. Where nothing comes of it
 * the form can be sent once more.
 */
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
