// The console of a key. It switches methods and examples without a page load, and sends calls from the browser.

import {
  curlOf,
  describeAnswer,
  prettyText,
  shownBytes,
  sortHeaders,
  splitAtHex,
  tokenProblem,
  toRequest,
} from './console-call.js'

const place = document.querySelector('[data-console]')
const { console: url, maskedUrl, token } = place.dataset
const chooser = place.querySelector('[data-choose]')
const part = (name) => place.querySelector(`[data-answer="${name}"]`)
const revealed = () => document.querySelector('[data-reveal]').dataset.reveal === 'shown'

/** Number of the latest change. Responses to earlier changes are ignored. */
let latest = 0

/** Loads the page of another method or example, and takes over its fields. */
async function show(href) {
  latest += 1
  const mine = latest
  const answer = await fetch(href, { redirect: 'error' }).catch(() => undefined)
  if (mine !== latest) return
  if (!answer?.ok) {
    // The session may have ended; the full page load shows the log-in page then.
    location.assign(href)
    return
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  if (mine !== latest) return
  const focused = document.activeElement?.getAttribute('href')
  place.querySelector('[data-method]').replaceWith(fresh.querySelector('[data-method]'))
  if (focused) place.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus()
  history.replaceState(null, '', href)
}

chooser.addEventListener('change', () => {
  const chosen = new URL(chooser.action)
  chosen.search = new URLSearchParams(new FormData(chooser))
  show(chosen.href)
})
place.addEventListener('click', (event) => {
  const link = event.target.closest('[data-pick]')
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  show(link.href)
})

/** Aborts the call in flight when another one is sent. */
let sending

place.addEventListener('submit', (event) => {
  const form = event.target
  if (!form.matches('.call')) return
  event.preventDefault()
  const inputs = [...form.querySelectorAll('[data-kind]')]
  const tokenInput = form.elements.namedItem('token')
  const credential = tokenInput?.value.trim() ?? ''
  for (const input of [...inputs, tokenInput]) if (input !== null) showProblem(input, undefined)
  const fields = inputs.map((input) => ({
    name: input.dataset.name,
    kind: input.dataset.kind,
    text: input.value,
  }))
  const { body, problem } = toRequest(form.elements.namedItem('method').value, fields)
  const wrongToken = tokenProblem(credential)
  if (problem !== undefined)
    refuse(
      inputs.find(({ dataset }) => dataset.name === problem.name),
      problem.text,
    )
  else if (wrongToken !== undefined) refuse(tokenInput, wrongToken)
  else send(body, credential)
})

function refuse(input, text) {
  showProblem(input, text)
  input.focus()
}

function showProblem(input, text) {
  const shown = document.getElementById(`${input.id}-problem`)
  shown.hidden = text === undefined
  shown.textContent = text ?? ''
  input.toggleAttribute('aria-invalid', false)
  if (text !== undefined) input.setAttribute('aria-invalid', 'true')
}

async function send(body, credential) {
  sending?.abort()
  const mine = new AbortController()
  sending = mine
  part('what').hidden = true
  part('details').textContent = 'Waiting for the answer…'
  part('parts').hidden = true
  const headers = { 'content-type': 'application/json' }
  if (credential !== '') headers.authorization = `Bearer ${credential}`
  const begun = performance.now()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: mine.signal,
      credentials: 'omit',
    })
    const { text, isCut } = await readBeginning(response)
    const milliseconds = performance.now() - begun
    if (sending === mine)
      showAnswer({ status: response.status, headers: [...response.headers], text, isCut, milliseconds }, body)
  } catch {
    if (sending === mine) showNoAnswer()
  }
}

async function readBeginning(response) {
  const chunks = []
  let length = 0
  const reader = response.body.getReader()
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    chunks.push(value)
    length += value.length
    if (length <= shownBytes) continue
    await reader.cancel()
    break
  }
  const whole = await new Blob(chunks).slice(0, shownBytes).text()
  return { text: whole, isCut: length > shownBytes }
}

/** The node of a part of an answer. */
function highlighted({ part: text, isHex }) {
  if (!isHex) return text
  const span = document.createElement('span')
  span.className = 'hex'
  span.textContent = text
  return span
}

function showAnswer(answer, body) {
  const { isGood, what, details } = describeAnswer(answer)
  showOutcome(isGood, what, details)
  part('body').replaceChildren(...splitAtHex(prettyText(answer.text)).map(highlighted))
  part('headers').replaceChildren(
    ...sortHeaders(answer.headers).map(([name, value]) => {
      const row = document.createElement('div')
      const [term, description] = [document.createElement('dt'), document.createElement('dd')]
      term.textContent = name
      description.textContent = value
      row.append(term, description)
      return row
    }),
  )
  const plain = curlOf(url, body, token !== undefined)
  const masked = curlOf(maskedUrl, body, token !== undefined)
  const code = part('curl').querySelector('code')
  code.dataset.secret = masked
  code.dataset.secretText = plain
  code.textContent = revealed() ? plain : masked
  part('curl').querySelector('button').dataset.copy = plain
  part('parts').hidden = false
}

function showNoAnswer() {
  showOutcome(false, 'No answer', 'The service is not reachable, or the browser blocked the response.')
}

function showOutcome(isGood, what, details) {
  const badge = part('what')
  badge.textContent = what
  badge.className = `badge ${isGood ? 'good' : 'bad'}`
  badge.hidden = false
  part('details').textContent = details
  // On phones, the answer is below the form.
  part('details').scrollIntoView({ block: 'nearest' })
}
