import type { SchemaSource } from './schema-source.js'

/** Components that have another name in the new document. */
export interface RenamedComponents {
  /** Old place to new place. */
  readonly places: ReadonlyMap<string, string>
  /** Returns true if a removed component and an added component are the same component. */
  readonly isRenaming: (old: string, next: string) => boolean
}

/** Tracks renamed components. The first added component used in place of a removed one is its new name. */
export function renamedComponents(oldSource: SchemaSource, newSource: SchemaSource): RenamedComponents {
  const places = new Map<string, string>()
  return {
    places,
    isRenaming: (old, next) => {
      if (![old, next].every(isComponent) || newSource.has(old) || oldSource.has(next)) return false
      const taken = [...places].find(([from, to]) => from === old || to === next)
      if (!taken) places.set(old, next)
      return !taken || (taken[0] === old && taken[1] === next)
    },
  }
}

function isComponent(place: string): boolean {
  return /^#\/components\/schemas\/[^/]+$/.test(place)
}
