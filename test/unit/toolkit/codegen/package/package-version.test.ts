import t from 'tap'
import { packageVersion } from '../../../../../src/toolkit/codegen/index.js'

const rows: readonly (readonly [contract: string, version: string | undefined])[] = [
  ['1.2.3', '1.2.3'],
  ['0.0.0', '0.0.0'],
  ['1', '1.0.0'],
  ['1.2', '1.2.0'],
  ['v2.1', '2.1.0'],
  [' 1.0.0 ', '1.0.0'],
  ['1.0.0-rc.1+build.5', '1.0.0-rc.1+build.5'],
  ['1.0-beta', '1.0.0-beta'],
  ['', undefined],
  ['latest', undefined],
  ['01.2.3', undefined],
  ['1.2.3.4', undefined],
  ['1.0.0-01', undefined],
  ['1.0.0-', undefined],
  ['1.0.0 beta', undefined],
  ['../1', undefined],
]

t.test('versions of contracts become semantic versions', async (t) => {
  for (const [contract, version] of rows) t.equal(packageVersion(contract), version, contract)
})
