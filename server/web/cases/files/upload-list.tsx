import { ActionIcon, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { XIcon } from 'lucide-react'
import { showInvisible } from '../../parts/outside-text.ts'
import { fileSize } from './file-size.ts'
import { dropUpload, retryUpload, type Upload } from './uploads.ts'

interface UploadListProps {
  readonly uploads: readonly Upload[]
  readonly onDone: () => void
}

/** Files that are on their way, and those that did not arrive. */
export function UploadList({ uploads, onDone }: UploadListProps) {
  return (
    <Stack gap="sm" px="md" py="sm" role="group" aria-label="Uploads">
      {uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onDone={onDone} />
      ))}
    </Stack>
  )
}

function UploadRow({ upload, onDone }: { readonly upload: Upload; readonly onDone: () => void }) {
  const { id, file, state, sent, problem, sameAs } = upload
  const name = showInvisible(file.name)
  const isOver = state === 'failed' || state === 'same'
  return (
    <div role={isOver ? 'alert' : undefined}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Text size="sm" className="outside-text" flex={1}>
          {name}{' '}
          <Text span size="xs" c="dimmed">
            {state === 'waiting' && `${fileSize(file.size)}, waiting`}
            {state === 'sending' && `${fileSize(sent)} of ${fileSize(file.size)}`}
          </Text>
        </Text>
        {state === 'failed' && (
          <Button size="compact-xs" variant="default" onClick={() => retryUpload(id, onDone)}>
            Try again
          </Button>
        )}
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={`${isOver ? 'Dismiss' : 'Cancel the upload of'} ${name}`}
          onClick={() => dropUpload(id)}
        >
          <XIcon />
        </ActionIcon>
      </Group>
      {state === 'sending' && (
        <Progress
          size="sm"
          aria-label={`Upload of ${name}`}
          value={file.size === 0 ? 100 : Math.min(100, (100 * sent) / file.size)}
        />
      )}
      {sameAs !== undefined && (
        <Text size="xs" c="dimmed" className="outside-text">
          The case has this content already, as “{showInvisible(sameAs)}”.
        </Text>
      )}
      {problem !== undefined && (
        <Text size="xs" className="outside-text upload-problem">
          {problem.title}. {problem.detail !== undefined && showInvisible(problem.detail)}
          {problem.hint !== undefined && <> What to do: {showInvisible(problem.hint)}</>}
        </Text>
      )}
    </div>
  )
}
