import { SecretBlock } from '../parts/code-block.js'
import type { SetupExample } from './setup-examples.js'

interface ExamplesProps {
  readonly examples: readonly SetupExample[]
  readonly url: string
  readonly maskedUrl: string
  readonly isRevealed: boolean
}

/** Example programs, one of which is shown. The selection works without scripts. */
export function Examples({ examples, url, maskedUrl, isRevealed }: ExamplesProps) {
  return (
    <fieldset class="examples">
      <legend class="unseen">Language or library</legend>
      {examples.map(({ id, title, run, install, variable, code }, place) => (
        <>
          <input type="radio" name="example" id={`example-${id}`} value={id} checked={place === 0} />
          <label for={`example-${id}`}>{title}</label>
          <div class="panel" data-example={id}>
            <p class="muted">
              {install && (
                <>
                  Install the library with <code>{install}</code>.{' '}
                </>
              )}
              {run === undefined ? (
                'Paste this into a terminal.'
              ) : (
                <>
                  Save this as <code>{run.split(' ')[1]}</code> and run <code>{run}</code>.
                </>
              )}
            </p>
            <SecretBlock
              plain={code(url)}
              masked={code(maskedUrl)}
              isRevealed={isRevealed}
              label={`the example for ${title}`}
            />
            <p class="muted">
              This code contains your key. Code that you store or share should read the URL from the
              environment: <code>{variable}</code>
            </p>
          </div>
        </>
      ))}
    </fieldset>
  )
}
