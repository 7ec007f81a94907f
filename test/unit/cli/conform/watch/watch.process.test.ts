import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { onResult } from '../../../../../src/judge/index.js'
import { startConcordat } from '../../../../support/concordat-process.js'
import { startFaultyService } from '../../../../support/faulty-service.js'
import { startService } from '../../../../support/service.js'
import { until } from '../../../../support/until.js'
import { ownKey, startDeployment } from '../../../judge/run/deployment.js'
import { library } from '../../../judge/run/library.js'
import { conform, libraryService, passing } from '../conform-harness.js'

/** Enough requests for a round every second. */
const fast = ['--watch', '1', '--watch-budget', '36000']

/** Starts a watch that ends with the test. */
function watch(t: Test, args: readonly string[]) {
  const process = startConcordat(['conform', ...args])
  t.teardown(() => process.stop('SIGKILL'))
  const metrics = async () => {
    const [, url = ''] = /Metrics +(http\S+)/.exec(process.output().out) ?? []
    return (await fetch(url)).text()
  }
  return { ...process, metrics }
}

t.test('a fault of the service makes its rule fail until it is repaired', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  let isBroken = false
  const proxy = await startFaultyService({
    target: service.origin,
    fault: {
      name: 'other-chain',
      rule: 'identity.chain-id-hex',
      description: 'The chain id is that of another network.',
      begin: () => onResult(['eth_chainId'], (result) => (isBroken ? '0x1' : result)),
    },
  })
  t.teardown(() => proxy.close())
  const { pathname } = new URL(service.networks.test.url)
  const url = `${proxy.origin}${pathname}`
  const cases = ['--only', 'identity/chain-id', '--only', 'identity/protocol-version']
  const args = [url, ...fast, ...cases, '--metrics-port', '0']
  const { said, metrics, stop, output } = watch(t, args)

  await said('out', /Rotation +every case runs within about \d+ s/, /Z {2}up {3}/)
  await until(async () => /rotations_total [1-9]/.test(await metrics()))
  t.match(await metrics(), 'concordat_watch_up 1\n')
  t.match(await metrics(), /concordat_watch_rule_failing\{rule="identity\.\S+"\} 0\n/)
  isBroken = true
  await said('out', /Z {2}failing +identity\.\S+ {2}identity\/chain-id: .*0x1f/)
  t.match(await metrics(), /concordat_watch_rule_failing\{rule="identity\.\S+"\} 1\n/)
  isBroken = false
  await said('out', /Z {2}recovered /)

  await proxy.close()
  await said('out', /Z {2}down {3}/)
  await until(async () => (await metrics()).includes('concordat_watch_up 0\n'))
  t.equal(await stop('SIGTERM'), 1, 'the service is down at the end')
  const { out, err } = output()
  t.match(out, /stopped after \d+ rounds: 0 rules failing, the service is down\n$/)
  t.equal(out.match(/Z {2}failing /g)?.length, 1, 'an outage is no failure of a rule')
  t.notMatch(out + err, pathname.slice(1))
})

t.test('the watch waits for a service, reads only, and ends with the state of the rules', async (t) => {
  const held = new Set<number>()
  let isGone = true
  const answers = library({
    book: ({ params: [number] }) => ({ result: held.has(Number(number)) ? 5 : null }),
  })
  const deployment = await startDeployment(t, (call) =>
    isGone ? { status: 502, headers: { 'content-type': 'text/html' }, body: 'Bad gateway' } : answers(call),
  )
  const { written, folder } = await libraryService(t, {
    'books/one.yaml': passing,
    'books/two.yaml': passing.replace('[7]', '[8]'),
    'books/lent.yaml': passing.replace('rule:', 'effect: write\nrule:').replace('call: book', 'call: lend'),
  })
  const known = join(folder, 'known.yaml')
  await writeFile(known, "- { case: books/two, reason: It is broken., owner: ada, expires: '2999-12-31' }\n")
  held.add(8)
  const args = [deployment.url, ...written, ...fast, '--known', known, '--metrics-port', '0']
  const { said, metrics, stop } = watch(t, args)
  await said('out', /Z {2}down +HTTP 502\n/, /Left out +1 case/)
  isGone = false
  await said('out', /Z {2}up /)
  await until(async () => /verdicts_total\{verdict="known-fail"\} [1-9]/.test(await metrics()))
  t.match(await metrics(), 'rule_failing{rule="books.missing-null"} 0\n', 'a known failure is no failure')
  held.add(7)
  await said('out', /failing +books\.missing-null {2}books\/one: step 1: /)
  t.equal(await stop('SIGINT'), 1)
  t.notOk(deployment.methods().includes('lend'))
})

t.test('a watch without a failure ends with 0, and without an answer with 2', async (t) => {
  const { deployment, written } = await libraryService(t, { 'books/one.yaml': passing })
  const healthy = watch(t, [deployment.url, ...written, ...fast])
  await healthy.said('out', /Z {2}up /)
  t.equal(await healthy.stop('SIGTERM'), 0)
  t.match(healthy.output().out, /stopped after \d+ rounds?: 0 rules failing\n$/)

  const nothing = watch(t, [`http://127.0.0.1:9/${ownKey}`, ...written, ...fast])
  await nothing.said('out', /Z {2}down /)
  t.equal(await nothing.stop('SIGTERM'), 2)
})

t.test('the budget of an hour is kept, whatever the interval', async (t) => {
  const { deployment, written } = await libraryService(t, {
    'books/one.yaml': passing,
    'books/two.yaml': passing.replace('[7]', '[8]'),
  })
  const { said, stop, metrics } = watch(t, [
    deployment.url,
    ...written,
    '--watch',
    '900',
    '--watch-budget',
    '16',
  ])
  await said('out', /at most 16 requests an hour/, /Z {2}up /)
  t.equal(await stop(), 0)
  t.ok(deployment.requests.length <= 4, 'a quarter of an hour has a quarter of the budget')
  await t.rejects(metrics())
})

t.test('a watch that cannot work does not start', async (t) => {
  const { run, deployment } = await libraryService(t, { 'books/one.yaml': passing })
  t.match(await run(['--watch', '1', '--watch-budget', '60']), {
    code: 2,
    err: /leaves 0\.0 for a round, and 3 are needed: use --watch 180 or a larger --watch-budget/,
  })
  t.match(await run(['--watch', '1', '--watch-budget', '1']), {
    code: 2,
    err: /more than half of the requests/,
  })
  t.equal(deployment.requests.length, 0)
  const closed = await startDeployment(t, () => ({ status: 401, body: '{}' }))
  const { written } = await libraryService(t, { 'books/one.yaml': passing })
  const denied = await conform([closed.url, ...written, ...fast])
  t.match(denied, { code: 2, err: /denies access \(HTTP 401\): check the key/ })
  t.notMatch(denied.err, ownKey)
})
