// Scripts of every page: copy buttons, revealing of keys, local times, and protection against double submits.

const shownMs = 1500

/** Announces results to screen readers, which do not read the changed text of a labelled button. */
const announcement = document.createElement('p')
announcement.className = 'unseen'
announcement.role = 'status'
document.body.append(announcement)

// Without TLS, browsers allow clipboard access only on localhost.
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
    announcement.textContent = button.textContent
    setTimeout(() => {
      button.textContent = words
      announcement.textContent = ''
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

/** Reveals or hides all keys of the page. */
function showSecrets(isShown) {
  for (const code of document.querySelectorAll('[data-secret-text]'))
    code.textContent = isShown ? code.dataset.secretText : code.dataset.secret
  for (const link of reveals) {
    link.dataset.reveal = isShown ? 'shown' : 'hidden'
    link.textContent = isShown ? 'Hide' : 'Reveal'
  }
}

// The format is as wide as the replaced text, so that the layout does not shift.
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
