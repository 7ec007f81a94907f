import type { Random } from './random.js'

const words =
  `amber birch cedar delta ember fjord grove heron iris juniper kelp lotus maple north onyx pearl quartz
river sage thistle umber violet willow yarrow zephyr`.split(/\s+/)

/** A word that means nothing in particular. */
export function word(random: Random): string {
  return random.pick(words)
}

/** Some words with spaces between them. */
export function makeWords(random: Random, count: number): string {
  return Array.from({ length: count }, () => word(random)).join(' ')
}
