import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons'

/** Copies a value that is used elsewhere. */
export function Copy({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon
            size="xs"
            variant="subtle"
            style={{ verticalAlign: 'middle' }}
            color={copied ? 'green' : 'gray'}
            aria-label={label}
            onClick={copy}
          >
            {copied ? <CheckIcon width={12} /> : <CopyIcon width={12} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
