import { Alert, Button, Group, List, Stack, Text, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { UseInfiniteQueryResult, UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { apiProblem } from '../api/problem.ts'
import { fixLinks, missingLinks, type FixLink, type Missing } from './fix-links.ts'
import { Dialog } from './dialog.tsx'
import { showInvisible } from './outside-text.ts'
import { useMay, useMayForAll } from '../session/session.ts'
import type { ApiStoredError } from '../api/types.ts'
import { TextLink } from './layout.tsx'
import { OutsideText } from './text-view.tsx'

interface RefusalProps {
  readonly error: unknown
  readonly onRetry?: () => void
  /** Further actions. */
  readonly children?: ReactNode
}

/** An error of the API with its hint. */
export function ErrorAlert({ error, onRetry, children }: RefusalProps) {
  const { title, detail, hint, errors = [] } = apiProblem(error)
  return (
    <Alert color="red" title={title} role="alert">
      {detail !== undefined && errors.length === 0 && <OutsideText text={detail} />}
      {errors.length > 0 && (
        <List size="sm" my={4}>
          {errors.map(({ pointer, message }, index) => (
            <List.Item key={index} className="outside-text">
              {pointer !== undefined && pointer !== '' && <code>{pointer} </code>}
              {showInvisible(message)}
            </List.Item>
          ))}
        </List>
      )}
      {hint !== undefined && (
        <Text size="sm" mt={4} className="outside-text">
          What to do: {showInvisible(hint)}
        </Text>
      )}
      {onRetry !== undefined && (
        <Group mt="sm" gap="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
          {children}
        </Group>
      )}
    </Alert>
  )
}

/** Links to where people mend something. Nothing without links. */
export function FixLinks({ links }: { readonly links: readonly FixLink[] }) {
  if (links.length === 0) return null
  return (
    <Group gap="xs" mt={4}>
      {links.map(({ href, text }) => (
        <TextLink key={href} href={href} isUnderlined>
          {showInvisible(text)}
        </TextLink>
      ))}
    </Group>
  )
}

interface MissingLinksProps {
  readonly missing: Missing | null | undefined
  /** To which the playbook belongs. */
  readonly organization?: string | undefined
}

/** Links to where the person may create what a problem of a playbook says is missing. */
export function MissingLinks({ missing, organization }: MissingLinksProps) {
  const mayConnect = useMay('connections:write')
  const mayDirect = useMayForAll('organizations:write')
  if (!missing || !(missing.kind === 'connection' ? mayConnect : mayDirect)) return null
  return <FixLinks links={missingLinks(missing, organization)} />
}

interface StoredErrorViewProps {
  readonly error: ApiStoredError
  /** Code of the organization whose run failed. */
  readonly organization?: string
  /** Line of the playbook; `called` names a called playbook. */
  readonly place?: { readonly playbook: string; readonly line: number; readonly called?: string } | undefined
}

/** The error of a run or step, with a link to its line. */
export function StoredErrorView({ error, place, organization }: StoredErrorViewProps) {
  const { code, message, hint } = error
  const mayConnect = useMay('connections:write')
  const links = mayConnect ? fixLinks(error, organization) : []
  return (
    <Alert color="red" variant="light" title={code}>
      <OutsideText text={message} />
      {typeof hint === 'string' && (
        <Text size="sm" mt={4} className="outside-text">
          What to do: {showInvisible(hint)}
        </Text>
      )}
      <FixLinks links={links} />
      {place !== undefined && (
        <TextLink href={`/playbooks/${place.playbook}?line=${place.line}`}>
          Go to line {place.line} of {place.called ?? 'the playbook'}
        </TextLink>
      )}
    </Alert>
  )
}

interface ConfirmDialogProps {
  readonly opened: boolean
  readonly title: string
  readonly children: ReactNode
  /** Text of the button. */
  readonly action: ReactNode
  readonly back?: string
  readonly color?: 'red'
  readonly size?: 'lg'
  readonly isPending?: boolean
  readonly isDisabled?: boolean
  /** Why the action failed; null if it did not. */
  readonly error?: unknown
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Explains an action and asks before it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    opened,
    title,
    children,
    action,
    back = 'Back',
    color,
    size,
    error = null,
    onClose,
    onConfirm,
  } = props
  return (
    <Dialog opened={opened} onClose={onClose} title={title} {...(size && { size })}>
      <Stack>
        {children}
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {back}
          </Button>
          <Button
            className="outside-text"
            {...(color && { color })}
            loading={props.isPending ?? false}
            disabled={props.isDisabled ?? false}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface ConfirmButtonProps extends Pick<ConfirmDialogProps, 'title' | 'action' | 'children'> {
  readonly text: string
  readonly look?: Pick<ButtonProps, 'variant' | 'color' | 'c' | 'disabled' | 'size'>
  readonly mutation: Pick<UseMutationResult, 'isPending' | 'error'> & {
    mutate(variables: undefined, options: { readonly onSuccess: () => void }): void
  }
}

/** A button for an action that is confirmed in a dialog. */
export function ConfirmButton({ text, look, mutation, ...dialog }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" {...look} onClick={open}>
        {text}
      </Button>
      <ConfirmDialog
        {...dialog}
        opened={opened}
        color="red"
        isPending={mutation.isPending}
        error={mutation.error}
        onClose={close}
        onConfirm={() => mutation.mutate(undefined, { onSuccess: close })}
      />
    </>
  )
}

interface ShowMoreProps {
  readonly hidden: number
  readonly query: Pick<
    UseInfiniteQueryResult,
    'error' | 'fetchNextPage' | 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError'
  >
}

/** Loads the next page of a list. */
export function ShowMore({ hidden, query }: ShowMoreProps) {
  return (
    <>
      {query.isFetchNextPageError && <ErrorAlert error={query.error} />}
      {query.hasNextPage && (
        <Group p="sm">
          <Text size="sm" c="dimmed">
            {Math.max(0, hidden).toLocaleString()} more
          </Text>
          <Button
            size="xs"
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
    </>
  )
}
