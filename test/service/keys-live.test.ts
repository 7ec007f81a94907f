import t from 'tap'
import { post, runConcordat, startService } from '../support/service.js'

/** `concordat keys` beside a running service: each change takes effect immediately. */
const service = await startService({ isChainless: true })
t.teardown(() => service.stop())
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const keys = (...args: string[]) => runConcordat(['keys', ...args, '--data', service.data])

/** Creates a key; returns its URL and id. */
async function create(user: string, network: string, name: string) {
  const { code, out, err } = await keys(
    'create',
    '--user',
    user,
    '--network',
    network,
    '--name',
    name,
    '--json',
  )
  t.equal(code, 0, err)
  return JSON.parse(out) as { readonly url: string; readonly id: string }
}

t.test(
  'a created, disabled, enabled, rotated or deleted key is effective when the command ends',
  async (t) => {
    const { url, id } = await create('ada@example.com', 'main', 'wallet')
    t.match(url, new RegExp(`^${service.origin}/[A-Za-z0-9]{30}-M$`))
    t.match((await post(url, chainId)).json, { result: '0x1e' })

    t.equal((await keys('disable', id)).code, 0)
    const disabled = await post(url, chainId)
    t.equal(disabled.status, 401)
    t.equal(disabled.text, (await post(`${service.origin}/unknown`, chainId)).text, 'like an unknown key')

    t.equal((await keys('enable', id)).code, 0)
    t.equal((await post(url, chainId)).status, 200)

    const rotated = await keys('rotate', id, '--json')
    t.equal(rotated.code, 0, rotated.err)
    const renewed = (JSON.parse(rotated.out) as { url: string }).url
    t.not(renewed, url)
    t.equal((await post(url, chainId)).status, 401, 'the old key stops working immediately')
    t.equal((await post(renewed, chainId)).status, 200)

    t.equal((await keys('delete', id)).code, 0)
    t.equal((await post(renewed, chainId)).status, 401)
  },
)

t.test('a fifth key is refused with exit code 1; disabled keys count, deleted ones do not', async (t) => {
  const made = []
  for (const name of ['a', 'b', 'c', 'd']) made.push(await create('four@example.com', 'test', name))
  await keys('disable', made[0]?.id ?? '')
  const fifth = await keys('create', '--user', 'four@example.com', '--network', 'main', '--name', 'e')
  t.equal(fifth.code, 1)
  t.match(fifth.err, /key_limit_reached/)
  await keys('delete', made[1]?.id ?? '')
  await create('four@example.com', 'main', 'e')
})

t.test('list shows every key and no secrets', async (t) => {
  const { url } = await create('list@example.com', 'test', 'listed')
  const { code, out } = await keys('list')
  t.equal(code, 0)
  t.match(out, /list@example\.com/)
  t.match(out, /listed/)
  t.notOk(out.includes(new URL(url).pathname.slice(1)))
})

t.test('the service prints no key after its first lines', async (t) => {
  const { url } = await create('log@example.com', 'test', 'log')
  await post(url, chainId)
  await post(`${url.slice(0, -3)}zz-T`, chainId)
  await service.stop()
  const { out, err } = service.output()
  t.notOk(`${out}${err}`.includes(new URL(url).pathname.slice(1)))
})
