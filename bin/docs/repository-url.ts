/**
 * Returns the web address of the repository that a package.json names, without `git+` and `.git`. It is undefined if
 * there is none, or if it is no URL of the web.
 * @param repository a text, or an object with `url`
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
