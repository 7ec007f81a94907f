import t from 'tap'
import { createTarget, TargetError } from '../../../../src/judge/index.js'
import type { SendingStep } from '../../../../src/judge/scenario/scenario.js'
import type { TargetOptions } from '../../../../src/judge/send/target.js'

const paths = ['/{key}', '/v2/{key}', '/json-rpc/{key}']
const networks = { test: { keySuffix: 'T' }, main: { keySuffix: 'M' } }
const key = 'abcdefghijklmnopqrstuvwxyz1234-T'
const other = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ5678-T'

const targetOf = (url: string, rest: Partial<TargetOptions> = {}) =>
  createTarget({ url, paths, networks, ...rest })

t.test('URLs are split into base, form and key, and built from the base', async (t) => {
  const cases: (readonly [url: string, path: string | undefined, key: SendingStep['key'], built: string])[] =
    [
      [`https://host/${key}`, undefined, undefined, `https://host/${key}`],
      [`https://host/${key}`, '/v2/{key}', undefined, `https://host/v2/${key}`],
      [`https://host/v2/${key}`, '/{key}', undefined, `https://host/${key}`],
      [`https://host/v2/${key}`, undefined, { literal: 'abc' }, 'https://host/v2/abc'],
      [`https://host/v2/${key}`, undefined, { literal: '' }, 'https://host/v2'],
      [`https://host/v2/${key}`, '/', { literal: '' }, 'https://host/'],
      [`https://host/v2/${key}`, '/{key}', { literal: '' }, 'https://host/'],
      [`https://host/base/v2/${key}`, undefined, undefined, `https://host/base/v2/${key}`],
      [`https://host/base/v2/${key}`, '/json-rpc/{key}', undefined, `https://host/base/json-rpc/${key}`],
      [`https://host/base/v2/${key}`, '/nothing', undefined, 'https://host/base/nothing'],
      [`https://host/v2/v2/${key}`, '/{key}', undefined, `https://host/v2/${key}`],
      [`https://host/a/b/${key}/`, undefined, undefined, `https://host/a/b/${key}/`],
      [`https://host/a/b/${key}/`, '/v2/{key}', undefined, `https://host/a/b/v2/${key}`],
      [`https://host:8443/${key}#part`, undefined, undefined, `https://host:8443/${key}`],
      [`http://user:pass@host/${key}`, '/v2/{key}', undefined, `http://user:pass@host/v2/${key}`],
      [`http://host/${key}?a=1`, '/v2/{key}', undefined, `http://host/v2/${key}?a=1`],
      [`http://host/${key}?a=1`, '/{key}?b=2', undefined, `http://host/${key}?a=1&b=2`],
      [`http://[::1]:80/${key}`, '/v2/{key}', undefined, `http://[::1]/v2/${key}`],
      ['http://host', '/{key}', { literal: 'abc' }, 'http://host/abc'],
      ['http://host', undefined, { literal: 'abc' }, 'http://host/abc'],
      ['http://host/v2', '/json-rpc/{key}', { literal: 'abc' }, 'http://host/json-rpc/abc'],
      ['http://host/v2', undefined, { literal: 'abc' }, 'http://host/v2/abc'],
      ['http://host/rpc', '/v2/{key}', { literal: 'abc' }, 'http://host/rpc/v2/abc'],
      ['http://host/rpc', '/v2/{key}', undefined, 'http://host/rpc/v2'],
      [
        `http://host/${key}`,
        undefined,
        { literal: 'a/b?c#d e%f%2F' },
        'http://host/a%2Fb%3Fc%23d%20e%25f%2F',
      ],
      [`http://host/${key}`, undefined, { literal: '\ud800$&' }, 'http://host/%EF%BF%BD$&'],
      [`http://host/${key}`, '@evil.example/{key}', undefined, `http://host/@evil.example/${key}`],
      [`http://host/${key}`, ':81/{key}', undefined, `http://host/:81/${key}`],
      [`http://host/${key}`, '//evil.example/{key}', undefined, `http://host//evil.example/${key}`],
    ]
  for (const [url, path, asked, built] of cases) {
    t.equal(targetOf(url).urlFor({ path, key: asked }), built, `${url} ${path} ${JSON.stringify(asked)}`)
  }
})

t.test('a contract without forms has one URL and no key', async (t) => {
  const target = createTarget({ url: `https://host/rpc/${key}?a=1`, paths: [], networks: {} })
  t.equal(target.urlFor(), `https://host/rpc/${key}?a=1`)
  t.equal(target.urlFor({ key: { literal: 'abc' } }), `https://host/rpc/${key}?a=1`)
  t.same([...target.facts], [])
  t.equal(target.network, undefined)
  t.equal(target.shown, 'https://host/•••••')
  t.match(target.secrets, [key])
})

t.test('a form may contain its key anywhere, or no key', async (t) => {
  const forms = ['/k/{key}/rpc', '/key-{key}', '/rpc']
  const read = (url: string) => createTarget({ url, paths: forms, networks: {} }).urls.get('own')
  t.match(read('http://host/a/k/secret/rpc'), { base: 'http://host/a', form: '/k/{key}/rpc', key: 'secret' })
  t.match(read('http://host/a/key-secret'), { base: 'http://host/a', form: '/key-{key}', key: 'secret' })
  t.match(read('http://host/a/rpc'), { base: 'http://host/a', form: '/rpc', key: undefined })
  t.match(read('http://host/a'), { base: 'http://host/a', form: undefined, key: undefined })
})

t.test('the second key and the revoked key have their own URLs', async (t) => {
  const secondUrl = `https://second/v2/${other}`
  const target = targetOf(`https://host/${key}`, { secondUrl })
  t.equal(target.urlFor({ key: 'second' }), secondUrl)
  t.equal(target.urlFor({ key: 'second', path: '/{key}' }), `https://second/${other}`)
  t.same([...target.facts], ['key', 'second-key'])
  t.throws(() => target.urlFor({ key: 'revoked' }), { name: 'TargetError', message: /--revoked-key/ })
  const revoked = targetOf(`https://host/${key}`, { revokedUrl: `https://host/${other}` })
  t.same([...revoked.facts], ['key', 'revoked-key'])
})

t.test('the key in the other letter case is also a secret, and keeps its suffix', async (t) => {
  const cased = 'aB3'.repeat(10)
  const target = targetOf(`https://host/v2/${cased}-T`)
  const swapped = `${'Ab3'.repeat(10)}-T`
  t.equal(target.urlFor({ key: 'other-case' }), `https://host/v2/${swapped}`)
  t.equal(target.urlFor({ key: 'other-case', path: '/{key}' }), `https://host/${swapped}`)
  t.ok(target.secrets.includes(swapped))
  t.throws(() => targetOf('https://host/').urlFor({ key: 'other-case' }), { name: 'TargetError' })
})

t.test('only plausible keys count as keys', async (t) => {
  const facts = (url: string, rest: Partial<TargetOptions> = {}) => [...targetOf(url, rest).facts]
  t.same(facts(`http://host/${key}`), ['key'])
  t.same(facts('http://host/short-M'), ['key'])
  t.same(facts('http://host/of-another-scheme'), ['key'], 'long')
  for (const url of [
    'http://host',
    'http://host/',
    'http://host/v2',
    'http://host/v2/',
    'http://host/rpc',
    'http://host/T',
  ]) {
    t.same(facts(url), [], url)
  }
  t.same(facts('http://host/rpc', { networks: {} }), ['key'], 'for contracts without a key marker')
})

t.test('the network comes from the option, else from the key, else it is unknown', async (t) => {
  t.equal(targetOf(`http://host/${key}`).network, 'test')
  t.equal(targetOf('http://host/v2/abc-M').network, 'main')
  t.equal(targetOf(`http://host/${key}`, { network: 'main' }).network, 'main')
  t.equal(targetOf('http://host/of-another-schemeT').network, undefined)
  t.equal(targetOf('http://host/').network, undefined)
  const marked = { a: { keySuffix: '_a' }, aa: { keySuffix: '_a_a' }, none: {}, odd: null }
  t.equal(targetOf('http://host/key_a', { networks: marked }).network, 'a')
  t.equal(targetOf('http://host/key_a_a', { networks: marked }).network, 'aa')
})

t.test('local addresses are recognised', async (t) => {
  for (const host of [
    'localhost',
    'LOCALHOST:80',
    '127.0.0.1',
    '127.9.9.9:1',
    '127.1',
    '0x7f000001',
    '[::1]',
    '[0:0:0:0:0:0:0:1]:8080',
  ]) {
    t.ok(targetOf(`http://${host}/`).isLoopback, host)
  }
  for (const host of [
    'example.com',
    '128.0.0.1',
    '127.0.0.1.example',
    'localhost.example',
    '[::2]',
    '10.0.0.1',
    '0.0.0.0',
  ]) {
    t.notOk(targetOf(`http://${host}/`).isLoopback, host)
  }
  t.notOk(targetOf('http://localhost/', { secondUrl: 'http://example.com/' }).isLoopback)
})

t.test('a displayed URL contains its host and the suffix of its key', async (t) => {
  const shown = (url: string) => targetOf(url).shown
  t.equal(shown(`https://rpc.example.net/${key}`), 'https://rpc.example.net/•••••-T')
  t.equal(
    shown(`https://user:password@rpc.example.net:8443/base/v2/${key}?token=x`),
    'https://rpc.example.net:8443/•••••-T',
  )
  t.equal(shown('https://rpc.example.net/of-another-scheme'), 'https://rpc.example.net/•••••')
  t.equal(shown('https://rpc.example.net/rpc'), 'https://rpc.example.net/•••••')
  t.equal(shown('https://rpc.example.net/?token=x'), 'https://rpc.example.net/•••••')
  t.equal(shown('http://127.0.0.1:8545'), 'http://127.0.0.1:8545/')
})

t.test('the secrets of all URLs are known, short keys included', async (t) => {
  const { secrets } = targetOf('http://user:password@host/k1-T', {
    secondUrl: `http://host/${other}?token=tok`,
    revokedUrl: 'http://host/k2-T',
  })
  for (const secret of ['k1-T', 'k2-T', other, 'tok', 'user', 'password'])
    t.ok(secrets.includes(secret), secret)
})

t.test('invalid options are refused in one sentence without a URL', async (t) => {
  const refused = (options: Partial<TargetOptions>) => {
    try {
      targetOf(`http://host/${key}`, options)
    } catch (error) {
      t.ok(error instanceof TargetError)
      return (error as Error).message
    }
    return undefined
  }
  const notUrls = [
    `host/${key}`,
    `localhost:80/${key}`,
    `ftp://host/${key}`,
    'file:///x',
    '',
    'https://',
    '//host/x',
  ]
  for (const url of notUrls)
    t.equal(
      refused({ url }),
      'The URL must be complete and start with http://, https://, ws:// or wss://, or be stdio: and a command.',
      url,
    )
  t.match(refused({ secondUrl: key }), /^The URL of the second key must be complete/)
  t.match(refused({ revokedUrl: key }), /^The URL of the revoked key must be complete/)
  t.equal(
    refused({ network: 'nope' }),
    'The contract has no network "nope": give one of test, main with --network.',
  )
  t.match(refused({ network: 'test', networks: {} }), /declares no networks/)
  t.match(refused({ network: 'toString' }), /has no network "toString"/)
})
