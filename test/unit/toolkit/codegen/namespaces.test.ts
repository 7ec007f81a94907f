import t from 'tap'
import { nestedMembers } from '../../../../src/runtime/client/client-members.js'
import {
  createServer,
  handlersToCall,
  type Methods,
  MissingHandlerError,
} from '../../../../src/runtime/server/index.js'
import { memberPaths } from '../../../../src/toolkit/codegen/emit/member-paths.js'
import { pathOf } from '../../../../src/toolkit/codegen/index.js'
import { loadFixture, loadModules } from './fixtures.js'

const contract = await loadFixture('namespaces')
const [client, service] = await loadModules(contract, ['client.ts', 'methods.ts'])
const methods = service?.['methods'] as Methods
const createClient = client?.['createClient'] as (url: string) => object
const paths = memberPaths(contract.methods)

type Call = (...given: readonly unknown[]) => unknown
const at = (object: unknown, path: readonly string[]): Call =>
  path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), object) as Call

/** Handlers that record calls and return what each method's schema requires. */
function handlersOf(called: string[]) {
  const answers = new Map<string, unknown>([
    ['wallet.listKeys', ['a']],
    ['wallet.keys.add', 1],
  ])
  return nestedMembers(
    contract.methods.map((method) => [
      pathOf(paths, method),
      () => {
        called.push(method.name)
        return method.result ? (answers.get(method.name) ?? method.name) : undefined
      },
    ]),
  )
}

t.test('client and server of a contract work together under every name', async (t) => {
  const called: string[] = []
  const server = await createServer({ methods, handlers: handlersOf(called) as never }).listen({ port: 0 })
  t.teardown(() => server.close())
  const caller = createClient(server.url)
  for (const method of contract.methods) {
    const given =
      method.paramStructure === 'by-name' ? [{ wallet: 'w', key: 'k' }] : method.params.map(() => 'w')
    await at(caller, pathOf(paths, method))(...given)
  }
  const names = contract.methods.map(({ name }) => name)
  t.same(called, names)
  called.length = 0
  const batch = Reflect.get(caller, 'batch_') as (
    build: (calls: object) => unknown[],
  ) => Promise<{ status: string }[]>
  const outcomes = await batch((calls) =>
    contract.methods.map((method) =>
      at(
        calls,
        pathOf(paths, method),
      )(
        ...(method.paramStructure === 'by-name' ? [{ wallet: 'w', key: 'k' }] : method.params.map(() => 'w')),
      ),
    ),
  )
  t.same([...new Set(outcomes.map(({ status }) => status))], ['fulfilled'])
  t.same([...called].sort(), [...names].sort())
})

t.test('a client is not thenable, and its namespaces are plain objects', async (t) => {
  const caller = createClient('http://127.0.0.1:9/')
  t.equal(await caller, caller)
  const wallet = Reflect.get(caller, 'wallet') as object
  t.equal(await wallet, wallet)
  t.equal(Object.getPrototypeOf(wallet), Object.prototype)
  t.equal(({} as Record<string, unknown>)['polluted'], undefined)
})

t.test('descriptors and errors contain the wire name', async (t) => {
  t.match(methods['wallet.listKeys'], { name: 'wallet.listKeys', path: ['wallet', 'listKeys'] })
  t.notOk(Object.hasOwn(methods['version'] ?? {}, 'path'))
  t.throws(() => handlersToCall(methods, { wallet: {}, version: () => '' } as never), {
    message: /^No handler for wallet\.listKeys, wallet\.keys\.add, wallet\.seen, admin, admin\.start/,
  })
})

t.test('handlers in namespaces are called with their object, also for class instances', async (t) => {
  class Wallet {
    readonly #keys = ['a']
    listKeys() {
      return this.#keys
    }
  }
  const { 'wallet.listKeys': listKeys } = methods
  if (!listKeys) throw new Error('no method')
  const call = handlersToCall({ 'wallet.listKeys': listKeys }, { wallet: new Wallet() } as never)
  t.same(await call(listKeys, ['w'], undefined), ['a'])
})

t.test('members of Object.prototype and of classes are not handlers', async (t) => {
  const rows: readonly [string, unknown][] = [
    ['toString.call', {}],
    ['toString.call', { toString: Object.prototype.toString }],
    ['constructor.prototype.constructor', {}],
    ['constructor.prototype.constructor', new (class Service {})()],
    ['valueOf', {}],
    ['__proto__.polluted', {}],
    ['wallet.listKeys', { 'wallet.listKeys': () => [] }],
    ['wallet.listKeys', { wallet: null }],
    ['wallet.listKeys', { wallet: 'listKeys' }],
    ['wallet.listKeys', { wallet: () => [] }],
    ['version', { version: 1 }],
  ]
  for (const [name, handlers] of rows) {
    const only = { [name]: methods[name] } as Methods
    t.throws(() => handlersToCall(only, handlers as never), MissingHandlerError, name)
  }
  const own = Object.fromEntries([['__proto__', { polluted: () => 'mine' }]])
  const only = { '__proto__.polluted': methods['__proto__.polluted'] } as Methods
  const call = handlersToCall(only, own as never)
  t.equal(await call(only['__proto__.polluted'] as never, [], undefined), 'mine')
})
