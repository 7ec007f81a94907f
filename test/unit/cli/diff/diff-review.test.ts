import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { main } from '../../../../src/cli/main.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { findTool } from '../../../support/tools.js'
import { documentOf, inFolder, methodOf, write } from '../../toolkit/codegen/fixtures.js'

async function diff(...args: readonly string[]) {
  const out: string[] = []
  const err: string[] = []
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    env: {},
  }
  return { code: await main(['diff', ...args], io), out: out.join('\n'), err: err.join('\n') }
}

const method = (name: string, params: readonly JsonValue[] = []) => ({
  ...methodOf(params as readonly { readonly [name: string]: JsonValue }[]),
  name,
})
const text = (version: string, ...methods: readonly JsonValue[]) =>
  JSON.stringify(documentOf({ info: { title: 'T', version }, methods }), null, 2)

const [first, added, removed] = [
  text('1.0.0', method('a')),
  text('1.1.0', method('a'), method('b')),
  text('1.1.0', method('b')),
]

/** A folder with `old.json` and `new.json`. */
async function pair(
  [old, next]: readonly [string, string],
  config: string,
  work: (paths: readonly [string, string], dir: string) => Promise<void>,
) {
  await inFolder(async (dir) => {
    await write(dir, { path: 'old.json', content: old })
    await write(dir, { path: 'new.json', content: next })
    if (config !== '') await write(dir, { path: 'concordat.config.yaml', content: config })
    await work([join(dir, 'old.json'), join(dir, 'new.json')], dir)
  })
}

t.test('undecided changes fail unless --undecided passes them', async (t) => {
  const withPattern = (version: string, pattern: string) =>
    text(version, method('a', [{ name: 'p', required: true, schema: { type: 'string', pattern } }]))
  const same = [withPattern('1.0.0', '^a+$'), withPattern('2.0.0', '^aa*$')] as const
  await pair(same, '', async (paths) => {
    const plain = await diff(...paths)
    t.match(plain, {
      code: 1,
      out: /^undecided +#\/methods\/a\/params\/0\/schema +.*: cannot tell its effect/,
    })
    t.match(plain.out, /^2 changes: 1 undecided, 1 compatible$/m)
    t.equal((await diff(...paths, '--undecided', 'pass')).code, 0)
    t.match(await diff(...paths, '--format', 'markdown'), { code: 1, out: /### Undecided\n/ })
    t.match(await diff(...paths, '--undecided', 'no'), { code: 2, err: /--undecided takes fail or pass$/ })
  })
  await pair(same, 'diff: { undecided: pass }', async (paths) => {
    t.equal((await diff(...paths)).code, 0)
    t.equal((await diff(...paths, '--undecided', 'fail')).code, 1, 'the option wins')
  })
  const other = [withPattern('1.0.0', '^a'), withPattern('2.0.0', '^b')] as const
  await pair(other, 'diff: { undecided: pass }', async (paths) => {
    const { code, out } = await diff(...paths)
    t.equal(code, 1)
    t.match(out, /^breaking for both .*: "a" is no longer valid and "b" is valid now/)
    const { changes } = JSON.parse((await diff(...paths, '--format', 'json')).out)
    t.same(changes[0].proof, [
      { value: 'a', acceptedBy: 'old', breaks: ['clients'] },
      { value: 'b', acceptedBy: 'new', breaks: ['servers'] },
    ])
  })
})

t.test('--fail-on decides whose breaking changes exit with 1', async (t) => {
  await pair([first, added], '', async (paths) => {
    t.match(await diff(...paths), { code: 0, out: /version: a minor bump, 1\.1\.0 or later$/ }, 'clients')
    t.equal((await diff(...paths, '--fail-on', 'servers')).code, 1)
    t.equal((await diff(...paths, '--fail-on', 'any')).code, 1)
    t.match(await diff(...paths, '--fail-on', 'all'), {
      code: 2,
      err: /--fail-on takes clients, servers or any$/,
    })
  })
  await pair([first, added], 'diff: { failOn: any }', async (paths) => {
    t.equal((await diff(...paths)).code, 1)
    t.equal((await diff(...paths, '--fail-on', 'clients')).code, 0, 'the option wins')
  })
})

t.test('accepted changes need a version and a reason, and expire with the version', async (t) => {
  const config = (entry: string) => `diff:\n  accepted:\n    - { ${entry}, reason: nobody calls it }\n`
  const rows: readonly [entry: string, code: number, err: RegExp][] = [
    ['version: 1.1.0', 0, /^$/],
    ['version: 1.1.0, kind: method-removed', 0, /^$/],
    ['version: 1.1.0, at: "#/methods/a"', 0, /^$/],
    [
      'version: 1.1.0, kind: param-removed',
      1,
      /no breaking change matches the accepted param-removed at any place/,
    ],
    [
      'version: 1.1.0, at: "#/methods/ab"',
      1,
      /accepted any change at #\/methods\/ab of version 1\.1\.0: remove/,
    ],
    ['version: 1.0.0', 1, /^$/],
    [
      'version: 1.1.0, kind: gone',
      2,
      /yaml:3:31: unknown kind of change "gone": docs\/compatibility\.md lists/,
    ],
    ['at: "#"', 2, /yaml:3:7: diff\.accepted\.0: the member "version" is missing/],
  ]
  for (const [entry, code, err] of rows) {
    await pair([first, removed], config(entry), async (paths) => {
      const answer = await diff(...paths)
      t.equal(answer.code, code, entry)
      t.match(answer.err, err)
      if (code !== 0) return
      t.match(answer.out, /breaking for both {6}#\/methods\/a .*removed \[accepted: nobody calls it\]/)
      t.match(answer.out, /1 compatible; \d accepted\n/)
      const { changes, summary } = JSON.parse((await diff(...paths, '--format', 'json')).out)
      t.match(changes[0], { kind: 'method-removed', accepted: 'nobody calls it' })
      t.match(summary, { accepted: summary.accepted, bump: 'major', version: '2.0.0' })
      const sarif = JSON.parse((await diff(...paths, '--format', 'sarif')).out)
      t.match(sarif.runs[0].results[0], {
        ruleId: 'method-removed',
        suppressions: [{ kind: 'external', justification: 'nobody calls it' }],
      })
      t.notMatch((await diff(...paths, '--format', 'github')).out, 'method-removed')
    })
  }
})

t.test('a document at a Git revision', async (t) => {
  await findTool('git')
  await inFolder(async (dir) => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: dir, stdio: 'pipe' })
    const shared = (type: string) => JSON.stringify({ A: { type } })
    await mkdir(join(dir, 'sub'))
    const document = text('1.0.0', {
      ...method('a'),
      result: { name: 'r', schema: { $ref: 'shared.json#/A' } },
    })
    await write(dir, { path: 'sub/openrpc.json', content: document })
    await write(dir, { path: 'sub/shared.json', content: shared('string') })
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
    await write(dir, { path: 'sub/shared.json', content: shared('integer') })
    const path = join(dir, 'sub/openrpc.json')
    const changed = /breaking for both {3}shared\.json#\/A +type string became integer/
    t.match(await diff('--against', 'main', path), { code: 1, out: changed }, 'and the files it refers to')
    t.match(await diff(`git:HEAD:${path}`, path), { code: 1, out: changed })
    t.match(await diff(`git:main:${path}`, `git:HEAD:${path}`), { code: 0, out: /no changes/ })
    await write(dir, { path: 'concordat.config.yaml', content: 'document: sub/openrpc.json' })
    const config = join(dir, 'concordat.config.yaml')
    t.match(
      await diff('git:main', path, '--config', config),
      { code: 1, out: changed },
      "the project's document",
    )
    t.match(await diff('--against', 'main', '--config', config), { code: 1, out: changed })
    const rows: readonly [args: readonly string[], err: RegExp][] = [
      [['--against', 'gone', path], /openrpc\.json: cannot be read at the Git revision "gone": /],
      [
        [`git:main:${join(dir, 'none.json')}`, path],
        /none\.json: cannot be read at the Git revision "main": /,
      ],
      [['git::a.json', path], /"" is not a Git revision, such as main or HEAD~1/],
      [['--against', '--output=x', path], /--against=VALUE if it starts with a hyphen/],
      [['--against=--output=x', path], /"--output=x" is not a Git revision/],
      [['--against', 'main', '-'], /--against needs a file/],
    ]
    for (const [args, err] of rows) t.match(await diff(...args), { code: 2, err }, args.join(' '))
  })
})

t.test('github and sarif point into the new document', async (t) => {
  const next = text('2.0.0', method('z'), method('b', [{ name: 'p', required: true, schema: {} }]))
  await pair([text('1.0.0', method('a'), method('b')), next], '', async (paths) => {
    const github = await diff(...paths, '--format', 'github')
    t.equal(github.code, 1)
    const [removal, parameter, addition, ...more] = github.out.split('\n')
    t.match(
      removal,
      /^::error file=.*new\.json,line=7,col=14,title=breaking for both%3A method-removed::#\/methods\/a: /,
    )
    t.match(
      parameter,
      /^::error file=.*new\.json,line=21,col=9,title=breaking for both%3A param-added::#\/methods\/b/,
    )
    t.match(addition, /^::warning .*title=breaking for servers%3A method-added::/)
    t.equal(more.length, 0, 'compatible changes are no annotations')
    const { runs } = JSON.parse((await diff(...paths, '--format', 'sarif')).out)
    t.same(
      runs[0].results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level]),
      [
        ['method-removed', 'error'],
        ['param-added', 'error'],
        ['method-added', 'warning'],
        ['documentation-changed', 'note'],
      ],
    )
  })
})

t.test('the version that follows from changes', async (t) => {
  const described = { ...method('a'), description: 'more' }
  const rows: readonly [old: string, next: string, version: RegExp][] = [
    [first, text('1.0.0', described), /\nversion: a patch bump, 1\.0\.1 or later; 1\.0\.0 is too low$/],
    [first, text('1.0.1', described), /\nversion: a patch bump, 1\.0\.1 or later$/],
    [first, text('3.0.0', method('a')), /^compatible[^\n]*\n\n1 change: 1 compatible$/],
    [
      text('0.3.1', method('a')),
      text('0.3.2', method('b')),
      /a major bump, 0\.4\.0 or later; 0\.3\.2 is too low$/,
    ],
    [text('0.3.1', method('a')), text('0.3.2', method('a'), method('b')), /a minor bump, 0\.3\.2 or later$/],
    [text('v1', method('a')), text('v2', method('b')), /\nversion: a major bump$/],
  ]
  for (const [old, next, version] of rows) {
    await pair([old, next], '', async (paths) => void t.match((await diff(...paths)).out, version))
  }
})
