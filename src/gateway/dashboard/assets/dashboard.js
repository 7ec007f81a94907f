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

for (const secret of document.querySelectorAll('[data-secret]')) {
  const link = secret.querySelector('a')
  const code = secret.querySelector('[data-secret-text]')
  const plain = code.dataset.secretText
  const masked = secret.dataset.secret
  link.addEventListener('click', (event) => {
    event.preventDefault()
    const isShown = code.textContent === plain
    code.textContent = isShown ? masked : plain
    link.textContent = isShown ? 'Reveal' : 'Hide'
  })
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
for (const time of document.querySelectorAll('time[data-local]')) {
  time.title = time.textContent
  time.textContent = format.format(new Date(time.dateTime))
}
