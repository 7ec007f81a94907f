import t from 'tap'
import { judge, readAuthored } from './authored-contract.js'
import { judgeTable } from './judge-table.js'

const contract = readAuthored()
const f = (digits: number) => `0x${'f'.repeat(digits)}`
const A = (digits: number) => `0x${'A'.repeat(digits)}`
const noStrings = { 'a number': 1, null: null, 'a boolean': true, 'a list': ['0x1'], 'an object': {} }

t.test('quantities in results are lower case and minimal', async (t) => {
  judgeTable(t, 'Quantity', {
    accepts: { zero: '0x0', one: '0x1', ten: '0xa', 'a zero inside': '0x100', '64 digits': f(64) },
    refuses: {
      ...noStrings,
      'no digits': '0x',
      'a leading zero': '0x01',
      'two zeros': '0x00',
      'upper case': '0xA',
      'an upper-case prefix': '0XA',
      'no prefix': '1',
      'a sign': '-0x1',
      '65 digits': f(65),
      'a line end': '0x1\n',
      'a blank': ' 0x1',
      nothing: '',
    },
  })
})

t.test('quantities in parameters may have either case, but no leading zeros', async (t) => {
  judgeTable(t, 'QuantityInput', {
    accepts: { zero: '0x0', 'upper case': '0xAB', 'both cases': '0xaB', '64 digits': A(64) },
    refuses: {
      ...noStrings,
      'no digits': '0x',
      'a leading zero': '0x0A',
      'an upper-case prefix': '0X1',
      '65 digits': A(65),
      'a letter beyond f': '0xg',
    },
  })
})

for (const [kind, digits] of [
  ['Hash', 64],
  ['Topic', 64],
  ['Address', 40],
] as const) {
  t.test(`${kind}: ${digits / 2} bytes, lower case in results, either case in parameters`, async (t) => {
    const wrong = {
      ...noStrings,
      'a digit less': f(digits - 1),
      'a digit more': f(digits + 1),
      'a byte less': f(digits - 2),
      'a byte more': f(digits + 2),
      'no prefix': 'f'.repeat(digits),
      'no hexadecimal': `0x${'g'.repeat(digits)}`,
      nothing: '0x',
      'a line end': `${f(digits)}\n`,
    }
    judgeTable(t, kind, {
      accepts: { 'lower case': f(digits), zeros: `0x${'0'.repeat(digits)}` },
      refuses: { ...wrong, 'upper case': A(digits) },
    })
    judgeTable(t, `${kind}Input`, {
      accepts: { 'lower case': f(digits), 'upper case': A(digits) },
      refuses: wrong,
    })
  })
}

t.test('data has two digits per byte', async (t) => {
  const refuses = {
    ...noStrings,
    'half a byte': '0x1',
    'a byte and a half': '0x123',
    'no prefix': '12',
    nothing: '',
    'a line end': '0x12\n',
  }
  judgeTable(t, 'Data', {
    accepts: { 'no bytes': '0x', 'a byte': '0x00', '39 bytes': f(78) },
    refuses: { ...refuses, 'upper case': '0xAB' },
  })
  judgeTable(t, 'DataInput', { accepts: { 'no bytes': '0x', 'upper case': '0xABcd' }, refuses })
})

t.test('a storage position has 1 to 64 digits, with leading zeros or without', async (t) => {
  judgeTable(t, 'StoragePosition', {
    accepts: {
      zero: '0x0',
      'a padded zero': `0x${'0'.repeat(64)}`,
      'odd digits': '0x012',
      'upper case': '0xAB',
      '64 digits': f(64),
    },
    refuses: { ...noStrings, 'no digits': '0x', '65 digits': f(65), 'no prefix': '0' },
  })
})

t.test('half a signature has 32 bytes, or fewer digits when zeros are omitted', async (t) => {
  judgeTable(t, 'SignaturePart', {
    accepts: {
      '32 bytes': f(64),
      '31 bytes': f(62),
      'an odd number of digits': f(63),
      zero: '0x0',
      'a leading zero': `0x0${'f'.repeat(63)}`,
    },
    refuses: { ...noStrings, 'no digits': '0x', '33 bytes': f(66), 'upper case': A(64) },
  })
})

t.test('fixed sizes: a bloom has 256 bytes, a storage value 32', async (t) => {
  judgeTable(t, 'Bloom', {
    accepts: { '256 bytes': f(512) },
    refuses: { ...noStrings, '255 bytes': f(510), '257 bytes': f(514), 'no bytes': '0x' },
  })
  judgeTable(t, 'StorageWord', {
    accepts: { '32 bytes': f(64) },
    refuses: { ...noStrings, 'a quantity': '0x0', '31 bytes': f(62), '33 bytes': f(66) },
  })
})

t.test('a network number is decimal', async (t) => {
  judgeTable(t, 'NetworkNumber', {
    accepts: { test: '31', main: '30', zero: '0' },
    refuses: { ...noStrings, hexadecimal: '0x1f', 'a leading zero': '031', 'a sign': '-31', nothing: '' },
  })
})

t.test('a block selector is a number or one of three tags', async (t) => {
  const accepts = {
    latest: 'latest',
    earliest: 'earliest',
    pending: 'pending',
    zero: '0x0',
    'upper case': '0xAB',
    '64 bits': f(16),
  }
  const refuses = {
    ...noStrings,
    'another tag': 'finalized',
    'a tag in upper case': 'Latest',
    'no tag': '',
    'a leading zero': '0x01',
    'no digits': '0x',
    'more than 64 bits': f(17),
    'a decimal number': '1',
    'an object with a tag': { blockNumber: 'latest' },
    'an object with two blocks': { blockHash: f(64), blockNumber: '0x1' },
    'an object with another member': { blockHash: f(64), number: '0x1' },
    'an empty object': {},
  }
  const objects = {
    'an object with a hash': { blockHash: f(64) },
    'an object with a hash that must be canonical': { blockHash: A(64), requireCanonical: true },
    'an object with a number': { blockNumber: '0x1' },
  }
  judgeTable(t, 'BlockSelector', { accepts, refuses: { ...refuses, ...objects, 'a hash': f(64) } })
  judgeTable(t, 'StateSelector', {
    accepts: { ...accepts, ...objects, 'a hash': f(64), 'a hash in upper case': A(64) },
    refuses: { ...refuses, 'a short hash': f(63), 'a long hash': f(65) },
  })
})

t.test('a position in a block is a quantity of at most 64 bits', async (t) => {
  judgeTable(t, 'IndexPosition', {
    accepts: { first: '0x0', 'upper case': '0xFF', '64 bits': f(16) },
    refuses: { ...noStrings, 'a leading zero': '0x00', 'more than 64 bits': f(17), 'a tag': 'latest' },
  })
})

t.test(
  'no pattern backtracks exponentially: a long value that fails at its end is refused quickly',
  async (t) => {
    const start = process.cpuUsage()
    for (const [key, schema] of Object.entries(contract.components.schemas)) {
      if (typeof schema['pattern'] !== 'string') continue
      t.match(schema['pattern'], /^\^.*\$$/, `${key} is anchored`)
      t.notOk(judge(key, `0x${'0'.repeat(1_000_000)}z`).valid, key)
    }
    t.ok(process.cpuUsage(start).user < 2_000_000, 'within two seconds of processor time for all patterns')
  },
)

t.test('data of ten megabytes is validated', async (t) => {
  t.ok(judge('Data', f(20_000_000)).valid)
  t.notOk(judge('Data', f(20_000_001)).valid)
})
