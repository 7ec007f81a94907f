import { pageIds } from './read-reference.js'

/**
 * The script of the HTML page: search, a collapsible table of contents on narrow screens, and copy buttons.
 * It reads only the page itself and creates no HTML from text.
 */
export const referenceScript = `
'use strict'
const box = document.getElementById('${pageIds.search}')
const found = document.getElementById('${pageIds.found}')
const contents = document.getElementById('${pageIds.contents}')
const wide = matchMedia('(min-width: 62rem)')
const all = (selector, root = document) => Array.from(root.querySelectorAll(selector))

// Searchable text of an item. Examples are excluded, because they repeat the texts of every other method.
const wordsOf = (element) => {
  const parts = element.matches('section') ? all(':scope > :not(.example)', element) : [element]
  return parts.map((part) => part.textContent).join(' ').toLowerCase()
}
const chapters = all('.reference .chapter').map((element) => {
  const inside = all('[data-item]', element)
  return { element, items: (inside.length > 0 ? inside : [element]).map((item) => ({ item, words: wordsOf(item) })) }
})
const entries = all('.contents li').map((entry) => {
  const link = entry.querySelector('a')
  return { entry, target: document.getElementById(link.hash.slice(1)) }
})

function search() {
  const wanted = box.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let shown = 0
  for (const { element, items } of chapters) {
    let here = 0
    for (const { item, words } of items) {
      item.hidden = !wanted.every((word) => words.includes(word))
      if (!item.hidden) here += 1
    }
    element.hidden = here === 0
    shown += here
    for (const table of all(':scope > table', element))
      table.hidden = here === 0 || (wanted.length > 0 && all('tbody > tr', table).every((row) => row.hidden))
  }
  for (const { entry, target } of entries) entry.hidden = target.closest('[hidden]') !== null
  for (const group of all('.contents .group')) group.parentElement.hidden = all('li', group.parentElement).every((entry) => entry.hidden)
  found.textContent = wanted.length === 0 ? '' : shown === 0 ? 'No matches' : shown + ' found'
}

function reveal() {
  const target = document.getElementById(location.hash.slice(1))
  if (target === null || target.closest('[hidden]') === null) return
  box.value = ''
  search()
  target.scrollIntoView()
}

const fold = () => { contents.open = wide.matches }
wide.addEventListener('change', fold)
fold()
contents.addEventListener('click', (event) => {
  if (!wide.matches && event.target.closest('a')) contents.open = false
})
box.addEventListener('input', search)
addEventListener('hashchange', reveal)
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input')) return
  event.preventDefault()
  box.focus()
})
// The clipboard is only available over HTTPS and on localhost. On other pages the text is selected instead.
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent)
  } catch {
    getSelection().selectAllChildren(code)
    return document.execCommand('copy')
  }
  return true
}

for (const line of all('.example > div')) {
  const what = line.textContent
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.ariaLabel = 'Copy: ' + what
  button.addEventListener('click', async () => {
    const done = await copy(line.nextElementSibling.firstElementChild)
    button.textContent = done ? 'Copied' : 'Selected'
    button.ariaLabel = button.textContent + ': ' + what
  })
  line.append(button)
}
addEventListener('beforeprint', () => { for (const example of all('.example')) example.open = true })
box.closest('[role=search]').hidden = false
search()
`
