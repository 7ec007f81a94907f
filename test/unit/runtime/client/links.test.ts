import { createLink, type LinkContract, type LinkParam, type LinkValue } from '@concordat/client'
import t from 'tap'

type Link = (from: object, more?: object) => unknown
const param = (name: string, value?: LinkValue, parts: Partial<LinkParam> = {}): LinkParam => ({
  name,
  required: true,
  ...(value ? { value } : {}),
  ...parts,
})
const by = (paramStructure: LinkContract['paramStructure'], ...params: readonly LinkParam[]): Link =>
  createLink<Link>({ params, paramStructure })
const optional = { required: false }

t.test('parameters have the form that the call takes', async (t) => {
  const owner = { result: { owner: { name: 'ann', tags: ['x', 'y'] }, id: 7, gone: null } }
  const name = param('name', { result: ['owner', 'name'] })
  const rows: readonly [string, Link, readonly [object, object?], unknown][] = [
    ['by position', by('by-position', name), [owner], ['ann']],
    ['either', by('either', name), [owner], ['ann']],
    ['by name', by('by-name', name), [owner], { name: 'ann' }],
    ['none', by('by-position'), [owner], []],
    ['the type is preserved', by('by-name', param('id', { result: ['id'] })), [owner], { id: 7 }],
    ['the whole result', by('by-position', param('id', { result: [] })), [{ result: 'x' }], ['x']],
    ['an item of a list', by('by-position', param('tag', { result: ['owner', 'tags', 1] })), [owner], ['y']],
    [
      'a constant',
      by('by-position', param('n', { constant: [1, { a: null }] })),
      [owner],
      [[1, { a: null }]],
    ],
    [
      'a text with scalars in it',
      by(
        'by-position',
        param('path', { text: ['/', { result: ['id'] }, '/', { result: ['owner', 'name'] }] }),
      ),
      [owner],
      ['/7/ann'],
    ],
    [
      'nested values',
      by('by-position', param('p', { members: { list: { list: [{ result: ['id'] }, { constant: 2 }] } } })),
      [owner],
      [{ list: [7, 2] }],
    ],
    [
      'parameters of the call, sent as a list',
      by('by-position', param('a', { param: 'a', position: 1, path: ['b'] })),
      [{ params: [1, { b: 2 }] }],
      [2],
    ],
    [
      'parameters of the call, sent by name',
      by('by-position', param('a', { param: 'a', position: 1, path: [] })),
      [{ params: { a: 3 } }],
      [3],
    ],
    [
      'parameters that the caller adds',
      by('by-position', name, param('full')),
      [owner, { full: true }],
      ['ann', true],
    ],
    [
      'a gap before an added one',
      by('either', param('a', undefined, optional), name),
      [owner],
      [undefined, 'ann'],
    ],
    ['no parameter after it', by('either', name, param('b', undefined, optional)), [owner, {}], ['ann']],
    ['omitted by name', by('by-name', name, param('b', undefined, optional)), [owner], { name: 'ann' }],
    [
      'null where null is allowed',
      by('by-position', param('g', { result: ['gone'] }, { takesNull: true })),
      [owner],
      [null],
    ],
    [
      'null where it is not allowed',
      by('by-position', name, param('g', { result: ['gone'] }, optional)),
      [owner],
      ['ann'],
    ],
  ]
  for (const [title, link, given, want] of rows) t.same(link(...given), want, title)
})

t.test('undefined when a required parameter has no value', async (t) => {
  const rows: readonly [string, LinkValue | undefined, object][] = [
    ['an unknown member', { result: ['other'] }, { result: {} }],
    ['null on the way', { result: ['a', 'b'] }, { result: { a: null } }],
    ['a null result', { result: ['hash'] }, { result: null }],
    ['null at the end', { result: ['a'] }, { result: { a: null } }],
    ['a scalar on the way', { result: ['length'] }, { result: 'text' }],
    ['beyond the end of a list', { result: [3] }, { result: [1] }],
    ['the length of an empty list', { result: ['push'] }, { result: [] }],
    ['a member of Object.prototype', { result: ['constructor', 'name'] }, { result: {} }],
    ['the prototype', { result: ['__proto__'] }, { result: {} }],
    ['no parameters', { param: 'a', position: 0, path: [] }, {}],
    ['an omitted parameter', { param: 'a', position: 1, path: [] }, { params: [1] }],
    ['an object in a text', { text: ['/', { result: ['a'] }] }, { result: { a: {} } }],
    ['a missing nested value', { members: { a: { result: ['x'] } } }, { result: {} }],
    ['a missing value in a list', { list: [{ result: ['x'] }] }, { result: {} }],
    ['not added by the caller', undefined, { result: {} }],
  ]
  for (const [title, value, from] of rows)
    t.equal(by('by-position', param('p', value))(from), undefined, title)
})

t.test('members with hostile names are own members', async (t) => {
  const own = JSON.parse('{"__proto__":{"x":1}}')
  t.same(by('by-position', param('p', { result: ['__proto__', 'x'] }))({ result: own }), [1])
  const made = by('by-name', param('__proto__', { constant: 1 }))({}) as object
  t.ok(Object.hasOwn(made, '__proto__'))
  t.equal(Object.getPrototypeOf(made), Object.prototype)
  t.equal(by('by-position', param('toString'))({}), undefined)
})
