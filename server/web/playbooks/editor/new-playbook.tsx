import { Select, Stack } from '@mantine/core'
import { useCallback, useRef, useState } from 'react'
import { useOrganizations } from '../../api/lookups.ts'
import { useSession } from '../../session/session.ts'
import { RequirePermission, ViewTitle } from '../../shell/view.tsx'
import { newSource, ownerIn, withOwner } from '../playbook.ts'
import { useLeaveForDraft } from './edit-playbook.tsx'
import { PlaybookEditor } from './playbook-editor.tsx'
import { useDraft, type Draft } from './use-draft.ts'

export default function NewPlaybookPage() {
  return (
    <RequirePermission permission="playbooks:test">
      <NewPlaybook />
    </RequirePermission>
  )
}

interface Begun {
  /** The template. */
  readonly source: string
  readonly draft: Draft | undefined
  readonly note: string | undefined
  /** Increments to remount the editor. */
  readonly turn: number
}

function NewPlaybook() {
  const owners = useOwners()
  const { found, keep, handOver } = useDraft(null)
  const leaveFor = useLeaveForDraft(handOver)
  const [begun, setBegun] = useState<Begun>({
    source: withOwner(newSource, owners.preset),
    draft: found,
    note: found && 'Unsaved draft restored',
    turn: 0,
  })
  const text = useRef('')
  const [owner, setOwner] = useState<string>()
  const { source } = begun
  const keepDraft = useCallback(
    (draft: Draft | null): void => {
      text.current = draft?.text ?? source
      setOwner(ownerIn(text.current))
      keep(draft)
    },
    [keep, source],
  )
  const choose = (code: string): void => {
    const next = withOwner(text.current, code === shared ? null : code)
    const isTemplate = text.current === source
    setBegun(({ turn }) => ({
      source: isTemplate ? next : source,
      draft: isTemplate ? undefined : { hash: null, text: next },
      note: undefined,
      turn: turn + 1,
    }))
  }
  return (
    <Stack>
      <ViewTitle>New playbook</ViewTitle>
      {owners.choices.length > 1 && (
        <Select
          label="Belongs to"
          w={260}
          data={owners.choices}
          value={owners.choices.find(({ value }) => isSame(value, owner ?? shared))?.value ?? null}
          allowDeselect={false}
          onChange={(code) => code !== null && choose(code)}
        />
      )}
      <PlaybookEditor
        key={begun.turn}
        source={source}
        begun={begun.draft ?? { hash: null, text: source }}
        name={null}
        note={begun.note}
        isReadOnly={false}
        onDraft={keepDraft}
        onSaved={({ name }, left) => handOver(name, left)}
        onDraftSaved={leaveFor}
        onDiscard={() => {
          keep(null)
          setBegun(({ turn }) => ({ source, draft: undefined, note: undefined, turn: turn + 1 }))
        }}
      />
    </Stack>
  )
}

/** The choice for a shared playbook; no code of an organization. */
const shared = '*'

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** What a new playbook may belong to. */
function useOwners() {
  const { permissions } = useSession()
  const { codes } = useOrganizations()
  const held = permissions.find(({ permission }) => permission === 'playbooks:test')
  const own = held?.organization_codes ?? null
  const organizations = (own ?? codes).map((code) => ({ value: code, label: code }))
  if (own !== null) return { preset: own[0] ?? null, choices: organizations }
  const all = [{ value: shared, label: 'All organizations (shared)' }, ...organizations]
  return { preset: null, choices: organizations.length > 1 ? all : [] }
}
