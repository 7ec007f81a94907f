import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { main } from '../../../src/cli/main.js'

/** Commands within sentences of the guides name commands, options, scripts and files that exist. */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const guides = ['.', 'conformance', 'deploy', 'docs', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: folder === 'examples', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name)),
)
const commands = guides.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '')
  return [...text.matchAll(/`((?:npx|npm|concordat) [^`]+)`/g)].map(([, command = '']) => ({ path, command }))
})

const helps = new Map<string, Promise<string | undefined>>()

/** The help of a command; undefined for an unknown one. */
function helpOf(words: readonly string[]): Promise<string | undefined> {
  const known = helps.get(words.join(' ')) ?? readHelp(words)
  helps.set(words.join(' '), known)
  return known
}

async function readHelp(words: readonly string[]): Promise<string | undefined> {
  let help = ''
  const write = (line: string) => {
    help += `${line}\n`
  }
  const code = await main([...words, '--help'], { out: write, err: write, env: {} })
  return code === 0 ? help : undefined
}

t.test('commands of concordat have the named options', async (t) => {
  const named = commands.filter(({ command }) => /^(?:npx )?concordat /.test(command))
  t.ok(named.length > 50)
  for (const { path, command } of named) {
    const [name = '', ...words] = command
      .replace(/^(?:npx )?concordat /, '')
      .replaceAll(/'[^']*'|"[^"]*"/g, 'TEXT')
      .split(' ')
    const isGroup = ['case', 'keys'].includes(name) && /^[a-z]+$/.test(words[0] ?? '')
    const help = await helpOf(isGroup ? [name, words[0] ?? ''] : [name])
    t.ok(help, `${path}: ${command}`)
    for (const [option] of words.flatMap((word) => [...word.matchAll(/^--[a-z-]+/g)]))
      t.match(help, new RegExp(`(?:^|\\s)${option}\\b`, 'm'), `${path}: ${command}`)
  }
})

t.test('scripts of npm exist in the project of the guide', async (t) => {
  const scriptsOf = (folder: string) =>
    existsSync(join(root, folder, 'package.json'))
      ? Object.keys(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).scripts ?? {})
      : []
  const named = commands.filter(({ command }) => /^npm (?:run|start|test)\b/.test(command))
  t.ok(named.length > 30)
  for (const { path, command } of named) {
    const [, script = ''] = /^npm (?:run )?(\S+)/.exec(command) ?? []
    t.ok([...scriptsOf(dirname(path)), ...scriptsOf('.')].includes(script), `${path}: ${command}`)
  }
})

t.test('files that npx runs exist', async (t) => {
  for (const { path, command } of commands) {
    const [, file] = /^npx (?:tsx|tap run) (\S+)/.exec(command) ?? []
    if (file !== undefined) t.ok(existsSync(join(root, file)), `${path}: ${command}`)
  }
})
