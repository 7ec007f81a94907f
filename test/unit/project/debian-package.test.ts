import t from 'tap'
import { findInPackage } from '../../support/debian-package.js'

t.test('outside tests, a missing program is not installed: the error has the command', async (t) => {
  const { TAP } = process.env
  delete process.env['TAP']
  t.teardown(() => {
    process.env['TAP'] = TAP
  })
  const said: string[] = []
  const found = findInPackage(
    'nginx-none',
    async () => undefined,
    (text) => said.push(text),
  )
  await t.rejects(found, {
    message: /^Debian's package nginx-none is missing\. Install it: .*apt-get install/,
  })
  t.same(said, [])
  t.equal(
    await findInPackage(
      'nginx',
      async () => '/usr/sbin/nginx',
      () => t.fail(),
    ),
    '/usr/sbin/nginx',
  )
})
