// What every page does where scripts run: copy buttons, secrets shown in place, times as they are here.

const shownMs = 1500

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  const words = button.textContent
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(button.dataset.copy).then(
      () => true,
      () => false,
    )
    button.textContent = copied ? 'Copied' : 'Not copied'
    setTimeout(() => {
      button.textContent = words
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

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
for (const time of document.querySelectorAll('time[data-local]')) {
  time.title = time.textContent
  time.textContent = format.format(new Date(time.dateTime))
}
