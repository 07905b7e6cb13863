import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { XIcon, Link2Icon } from 'lucide-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiCall } from '../api/call.ts'
import type { ApiCaseDetail } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { ErrorAlert } from '../parts/feedback.tsx'
import { useFocusAfter } from '../parts/hooks.ts'
import { Section, TextLink } from '../parts/layout.tsx'
import { showInvisible } from '../parts/outside-text.ts'
import { CaseState, SeverityLevel } from '../parts/states.tsx'

type Link = ApiCaseDetail['links'][number]

const words: Readonly<Record<Link['kind'], string>> = {
  related: 'Related to',
  duplicate_of: 'Duplicate of',
  duplicated_by: 'Duplicated by',
}
const kinds = [
  { value: 'related', label: words.related },
  { value: 'duplicate_of', label: words.duplicate_of },
]

interface CaseLinksProps {
  readonly links: readonly Link[]
  readonly path: string
  readonly mayEdit: boolean
  readonly onDone: () => void
}

/** Cases that people linked with this one. */
export function CaseLinks({ links, path, mayEdit, onDone }: CaseLinksProps) {
  const [isAdding, setAdding] = useState(false)
  const [adder, beginClosing] = useFocusAfter<HTMLButtonElement>()
  const unlink = useMutation({
    mutationFn: (other: string) => apiCall('DELETE', `${path}/links/${encodeURIComponent(other)}`),
    onSettled: onDone,
  })
  if (links.length === 0 && !mayEdit) return null
  return (
    <Section
      title="Linked cases"
      count={links.length}
      actions={
        mayEdit &&
        !isAdding && (
          <Button
            ref={adder}
            size="compact-xs"
            variant="default"
            leftSection={<Link2Icon />}
            onClick={() => setAdding(true)}
          >
            Link case
          </Button>
        )
      }
    >
      <Stack gap="xs">
        {links.length === 0 && !isAdding && (
          <Text size="sm" c="dimmed">
            No linked cases
          </Text>
        )}
        {links.map((link) => (
          <Group key={link.case_id} gap="xs" wrap="nowrap" align="flex-start">
            <Text size="sm" className="outside-text" flex={1}>
              {words[link.kind]}{' '}
              <TextLink href={`/cases/${link.case_id}`} isUnderlined>
                {link.case_id.toUpperCase()}
              </TextLink>{' '}
              {showInvisible(link.title)}
            </Text>
            <SeverityLevel severity={link.severity} />
            <CaseState status={link.status} />
            {mayEdit && (
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                aria-label={`Remove the link with ${link.case_id.toUpperCase()}`}
                onClick={() => {
                  beginClosing()
                  unlink.mutate(link.case_id)
                }}
              >
                <XIcon />
              </ActionIcon>
            )}
          </Group>
        ))}
        {unlink.isError && <ErrorAlert error={unlink.error} />}
        {isAdding && (
          <LinkForm
            path={path}
            onSend={beginClosing}
            onClose={() => {
              beginClosing()
              setAdding(false)
            }}
            onDone={() => {
              setAdding(false)
              onDone()
            }}
          />
        )}
      </Stack>
    </Section>
  )
}

interface LinkFormProps {
  readonly path: string
  readonly onSend: () => void
  readonly onClose: () => void
  readonly onDone: () => void
}

function LinkForm({ path, onSend, onClose, onDone }: LinkFormProps) {
  const [kind, setKind] = useState<string>('related')
  const [other, setOther] = useState('')
  const link = useMutation({
    mutationFn: () => apiCall('POST', `${path}/links`, { body: { case_id: other.trim(), kind } }),
    onSuccess: onDone,
  })
  return (
    <form
      onSubmit={handleSubmit(() => {
        onSend()
        link.mutate()
      })}
    >
      <Stack gap="xs">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <Select
            size="xs"
            label="Kind"
            data={kinds}
            value={kind}
            onChange={(value) => value !== null && setKind(value)}
            allowDeselect={false}
            w={140}
          />
          <TextInput
            size="xs"
            label="Case"
            placeholder="MAIN-7"
            maxLength={100}
            value={other}
            onChange={({ currentTarget }) => setOther(currentTarget.value)}
            flex={1}
            autoFocus
          />
        </Group>
        {link.isError && <ErrorAlert error={link.error} />}
        <Group gap="xs" justify="flex-end">
          <Button size="xs" variant="default" onClick={onClose}>
            Discard
          </Button>
          <Button size="xs" type="submit" loading={link.isPending} disabled={other.trim() === ''}>
            Link
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
