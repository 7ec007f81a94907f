import t from 'tap'
import { generateFiles } from '../../../src/codegen/index.js'
import { anchor, codeBlock, dataText, prose, table } from '../../../src/codegen/markdown.js'
import { contractOf, fileOf, loadFixture, methodOf, tool } from './fixtures.js'

const page = fileOf(generateFiles(await loadFixture('pet-store'), tool), 'REFERENCE.md')

t.test('the page has everything that the contract says', async (t) => {
  const parts = [
    '# Pet store 1.2.3',
    'A store of pets.',
    '- [Methods](#methods)',
    '| local | `http://localhost:8080/$' + '{path}` | `path`: Where it listens. default `rpc` |',
    '| [`getPet`](#getpet) | One pet by its number, or null. |',
    '| 0 | `limit` | `number` | no, default `10` | How many at most. A whole number. Value: 1 to 100. Default: `10`. |',
    '| 1 | `status` | [`Status`](#status) | no |',
    'Result: [`Pet`](#pet) or `null`',
    'Errors: `getPet_minus_32050` (-32050), `busy` (100).',
    '- `pets.newest-first` (section 1): The newest pet comes first.',
    `-d '{"jsonrpc":"2.0","id":1,"method":"listPets","params":[1]}'`,
    `"method":"getPet","params":{"id":1}}'`,
    '{"jsonrpc":"2.0","id":1,"error":{"code":100,"message":"Pets are busy"}}',
    'A notification: it has no result.',
    '**Deprecated.**',
    '| `id` | [`PetId`](#petid) | yes | Its number. |',
    '| `born` | `string` | no | Format: `date`. |',
    '| `busy` | 100 | Pets are busy | [`Wait`](#wait) | `listPets`, `getPet` |',
    '| `petsPerAnswer`',
    'Every limit. More of it.',
    '| `storeClosed` | 503 | `closed` | Closed until {hour} | 5 |',
    '| `colour` | `green` |',
    '| `light` | #cfc |',
  ]
  for (const part of parts) t.ok(page.includes(part), part)
})

t.test('where the function of a method stands that is not called by its name is said', async (t) => {
  const files = generateFiles(await loadFixture('namespaces'), tool)
  const page = fileOf(files, 'REFERENCE.md')
  t.ok(page.includes('Parameters by position; in clients `client.wallet.listKeys`.'))
  t.ok(page.includes("In clients `client['admin.users'].list`."))
  t.notMatch(page, 'client.version')
})

t.test('an empty contract gives a page without empty chapters', async (t) => {
  const empty = fileOf(generateFiles(contractOf(), tool), 'REFERENCE.md')
  t.equal(empty.split('\n').slice(3).join('\n').trim(), '# T 1.0.0')
})

t.test("a quote in an example does not end the shell's argument", async (t) => {
  const examples = [{ name: 'e', params: [{ name: 'p', value: "it's" }], result: { name: 'r', value: 1 } }]
  const contract = contractOf({ methods: [methodOf([{ name: 'p', schema: {} }], {}, { examples })] })
  t.match(fileOf(generateFiles(contract, tool), 'REFERENCE.md'), `["it'\\''s"]}'`)
})

t.test('Markdown: HTML is text, cells hold pipes, fences hold fences', async (t) => {
  t.equal(prose('a <b> `<c>` & ``d ` e`` ` f'), 'a &lt;b> `<c>` &amp; ``d ` e`` \\` f')
  t.equal(
    table(
      ['A', 'B'],
      [
        ['x|y', ''],
        ['z\nw', ''],
      ],
    ),
    '| A |\n| --- |\n| x\\|y |\n| z w |\n',
  )
  t.equal(table(['A'], []), '')
  t.equal(codeBlock('sh', '```'), '````sh\n```\n````\n')
  t.equal(anchor('Foo bar: baz_1'), 'foo-bar-baz_1')
  t.match(dataText([{ id: 'a', list: ['x'], deep: { y: 1 } }]), '| `a` | `x` | `{"y":1}` |')
  t.match(dataText({ a: 1 }), /^```json/)
})
