/** The kinds of objects that `components` holds (OpenRPC 1.3, components object), and those that are always inline. */
export type Kind =
  | 'schemas'
  | 'contentDescriptors'
  | 'errors'
  | 'examplePairings'
  | 'examples'
  | 'links'
  | 'tags'
  | 'inline'

/** How the members of an object of a kind are read. Members that are not listed are schemas if they are extensions. */
type Members = Readonly<Record<string, Kind | readonly [Kind]>>

/** Members of a method object, of which each refers to objects of one kind. */
export const methodMembers: Members = {
  params: ['contentDescriptors'],
  result: 'contentDescriptors',
  errors: ['errors'],
  examples: ['examplePairings'],
  links: ['links'],
  tags: ['tags'],
}

/** The kinds of the members of other objects. */
export const kindMembers: Readonly<Partial<Record<Kind, Members>>> = {
  contentDescriptors: { schema: 'schemas' },
  // OpenRPC allows any value. Public documents that use references here refer to schemas.
  errors: { data: 'schemas' },
  examplePairings: { params: ['examples'], result: 'examples' },
}

/** Members whose values are data, in which `$ref` has no meaning. */
export const dataMembers: Readonly<Partial<Record<Kind, ReadonlySet<string>>>> = {
  schemas: new Set(['enum', 'const', 'default', 'examples', 'example']),
  examples: new Set(['value']),
  examplePairings: new Set(['error']),
  links: new Set(['params']),
}
