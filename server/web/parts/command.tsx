import { Button, Code, CopyButton } from '@mantine/core'
import './command.css'

interface CommandProps {
  readonly text: string
  readonly label: string
}

/** Text to paste elsewhere. */
export function Command({ text, label }: CommandProps) {
  return (
    <div className="command">
      <Code block className="command-text" tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button className="command-copy" size="compact-xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  )
}
