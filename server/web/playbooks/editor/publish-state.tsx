import { Button, Kbd, Text } from '@mantine/core'
import { ErrorAlert } from '../../parts/feedback.tsx'
import { TextLink } from '../../parts/layout.tsx'
import { ReasonDialog } from '../draft/reason-dialog.tsx'
import { Differences } from './differences.tsx'
import { SaveRefusal } from './saving.tsx'
import type { usePublish } from './use-publish.ts'

interface SaveButtonsProps {
  readonly editing: ReturnType<typeof usePublish>
  /** Text of the button that publishes. */
  readonly action: string
}

/** Saves a draft, and asks for the reason to publish. */
export function SaveButtons({ editing: { publish, drafts }, action }: SaveButtonsProps) {
  return (
    <>
      {drafts.maySave && (
        <Button
          variant="default"
          loading={drafts.isPending}
          disabled={!drafts.canSave}
          onClick={() => drafts.saveDraft()}
          rightSection={<Kbd size="xs">Ctrl S</Kbd>}
        >
          Save draft
        </Button>
      )}
      {publish.mayPublish && (
        <Button loading={publish.isPending} disabled={!publish.isPossible} onClick={publish.ask}>
          {action}
        </Button>
      )}
    </>
  )
}

/** Leads from the page of a playbook to the draft that was saved there. */
export function SavedHere({ name }: { readonly name: string }) {
  return (
    <Text size="sm" c="dimmed" role="status">
      Draft saved.{' '}
      <TextLink href={`/playbooks/${name}/draft`} isUnderlined>
        Open the draft
      </TextLink>
    </Text>
  )
}

interface PublishStateProps extends SaveButtonsProps {
  readonly text: string
  /** Of the live version. */
  readonly source: string
  /** Null for a new playbook. */
  readonly name: string | null
  /** Name in the text; null if it has errors. */
  readonly validName: string | null
  readonly hasLive: boolean
  readonly onDiscard: () => void
}

/** The question for the reason, and why saving or publishing failed. */
export function PublishState(props: PublishStateProps) {
  const { editing, action, text, source, name, validName, hasLive, onDiscard } = props
  const { publish, drafts } = editing
  return (
    <>
      {drafts.error !== null && <ErrorAlert error={drafts.error} />}
      <SaveRefusal
        save={publish}
        name={validName}
        text={text}
        isDraftOther={drafts.isConflict}
        draftName={drafts.tried?.name ?? name}
        onDraftOver={drafts.saveDraft}
        onTakeTheirs={onDiscard}
      />
      <ReasonDialog
        opened={publish.isAsking}
        title={`Publish ${validName ?? ''}`}
        action={action}
        isPending={publish.isPending}
        isDisabled={!publish.isPossible}
        onClose={publish.close}
        onConfirm={publish.save}
      >
        <Text size="sm">New alerts and schedules use this version from now on. Active runs keep theirs.</Text>
        {hasLive && <Differences before={source} after={text} labels={['Live', 'New']} />}
      </ReasonDialog>
    </>
  )
}
