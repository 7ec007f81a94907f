/**
 * Returns the web address of the repository that a package.json names (`repository`: a text, or an object with `url`),
 * without `git+` and `.git`; undefined if there is none, or if it is no URL of the web.
 */
export function repositoryUrl(repository: unknown): string | undefined {
  const named = typeof repository === 'object' && repository !== null && 'url' in repository
  const text = named ? repository.url : repository
  if (typeof text !== 'string') return undefined
  const url = text
    .replace(/^(?:github:)?(?=[\w.-]+\/[\w.-]+$)/, 'https://github.com/')
    .replace(/^git\+/, '')
    .replace(/\.git$/, '')
  return /^https?:\/\//.test(url) ? url : undefined
}
