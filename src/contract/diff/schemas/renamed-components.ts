import type { SchemaSource } from './schema-source.js'

/** Which components of the old document stand under another name in the new one. */
export interface RenamedComponents {
  /** Old place to new place. */
  readonly places: ReadonlyMap<string, string>
  /** True where a component that is gone and a new one that stands in its place are one. */
  readonly isRenaming: (old: string, next: string) => boolean
}

/** Renamed components as they are found: the first new one that stands in a lost one's place is the lost one. */
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
