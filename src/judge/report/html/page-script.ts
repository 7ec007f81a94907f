/**
 * Browser script of the page. It filters cases by verdict, rule, method and text, opens linked cases, and
 * copies commands. The page is readable without it. It never creates markup from report data.
 */
export const pageScript = `
'use strict'
document.documentElement.classList.add('scripted')
const all = (selector, root = document) => [...root.querySelectorAll(selector)]
const form = document.querySelector('form')
const found = document.querySelector('#found')
const cases = all('.case').map((node) => ({
  node,
  verdict: node.dataset.verdict,
  rules: (node.dataset.rules || '').split(' '),
  methods: (node.dataset.methods || '').split(' '),
  text: node.textContent.toLowerCase(),
}))
const groups = all('.group:has(.case)').map((node) => ({ node, cases: all('.case', node), wasOpen: node.open }))
const chips = all('input[name=verdict]', form)
let wasFiltered = false
function filter() {
  const verdicts = new Set(chips.filter((chip) => chip.checked).map((chip) => chip.value))
  const rule = form.elements.rule.value
  const method = form.elements.method.value
  const words = form.elements.text.value.toLowerCase().split(/\\s+/).filter(Boolean)
  const isFiltered = verdicts.size < chips.length || Boolean(rule || method || words.length)
  let count = 0
  for (const one of cases) {
    const fits =
      verdicts.has(one.verdict) &&
      (!rule || one.rules.includes(rule)) &&
      (!method || one.methods.includes(method)) &&
      words.every((word) => one.text.includes(word))
    one.node.hidden = !fits
    if (fits) count++
  }
  for (const group of groups) {
    if (!wasFiltered) group.wasOpen = group.node.open
    group.node.hidden = group.cases.every((node) => node.hidden)
    group.node.open = isFiltered ? !group.node.hidden : group.wasOpen
  }
  wasFiltered = isFiltered
  found.textContent = count + ' of ' + cases.length + ' cases'
}
form.addEventListener('input', filter)
form.addEventListener('submit', (event) => event.preventDefault())
form.addEventListener('reset', () => setTimeout(filter))
for (const button of all('button[data-rule]')) {
  button.addEventListener('click', () => {
    form.reset()
    form.elements.rule.value = button.dataset.rule
    filter()
    document.querySelector('#cases').scrollIntoView()
    form.elements.rule.focus({ preventScroll: true })
  })
}
const open = document.querySelector('#open-rules')
open.addEventListener('input', () => {
  for (const node of all('.covered')) node.hidden = open.checked && node.dataset.open === undefined
})
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target === null || !target.matches('.case, .group')) return
  if (target.hidden) form.reset(), filter()
  for (let node = target; node; node = node.parentElement) if (node.matches('details')) node.open = true
  target.scrollIntoView()
}
addEventListener('hashchange', follow)
follow()
for (const pre of all('.copy pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', 'Copy ' + pre.dataset.what)
  button.addEventListener('click', async () => {
    getSelection().selectAllChildren(pre)
    const copied = await navigator.clipboard?.writeText(pre.textContent).then(() => true, () => false)
    button.textContent = copied || document.execCommand('copy') ? 'Copied' : 'Selected'
  })
  pre.parentElement.append(button)
}
filter()
`
