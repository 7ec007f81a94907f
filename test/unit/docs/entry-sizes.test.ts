import { readFile } from 'node:fs/promises'
import t from 'tap'
import { clientSize } from '../../../lab/bench/client-sizes.js'

const packages = await readFile(new URL('../../../docs/packages.md', import.meta.url), 'utf8')
const section = packages.split(/^## /m).find((part) => part.startsWith('What a bundle weighs\n')) ?? ''
const stated = [...section.matchAll(/^\|.*\| (\d+\.\d) \|$/gm)].map(([, size]) => Number(size))

t.test('each entry point of the client has the size that docs/packages.md states', async (t) => {
  const programs = ['ours, all methods', 'ours, contracts', 'ours, failover'] as const
  t.equal(stated.length, programs.length)
  for (const [at, program] of programs.entries()) {
    const kilobytes = (await clientSize(program)) / 1_000
    t.equal(kilobytes.toFixed(1), stated[at]?.toFixed(1), program)
  }
})
