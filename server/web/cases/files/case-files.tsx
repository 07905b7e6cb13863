import { Anchor, Button, Code, FileButton, Text } from '@mantine/core'
import { UploadIcon } from 'lucide-react'
import { useEffect, useRef, useState, type DragEvent } from 'react'
import { addressOf } from '../../api/call.ts'
import type { ApiCaseDetail } from '../../api/types.ts'
import { useFocusAfter } from '../../parts/hooks.ts'
import { actorText, showInvisible } from '../../parts/outside-text.ts'
import { SmallTable, type SmallColumn } from '../../parts/small-table.tsx'
import { DateTime } from '../../parts/times.tsx'
import { fileSize } from './file-size.ts'
import { UploadList } from './upload-list.tsx'
import { startUploads, useUploads } from './uploads.ts'
import { WithdrawFile } from './withdraw-file.tsx'

type CaseFile = ApiCaseDetail['files'][number]

interface CaseFilesProps {
  readonly files: readonly CaseFile[]
  /** Path of the case in the API. */
  readonly path: string
  readonly mayEdit: boolean
  /** Reads the case again. */
  readonly onDone: () => void
}

/** The files of a case. They are saved and never shown, because they may be malware. */
export function CaseFiles({ files, path, mayEdit, onDone }: CaseFilesProps) {
  const uploads = useUploads(path)
  const attach = (chosen: readonly File[]): void => startUploads(path, chosen, onDone)
  const drop = useDrop(attach)
  // Browsers report no choice of the file that is chosen already.
  const forgetChoice = useRef<() => void>(null)
  const [attacher, beginWithdrawal] = useFocusAfter<HTMLButtonElement>()
  if (files.length === 0 && !mayEdit) return null
  return (
    <div {...(mayEdit && drop)} className="case-files">
      <SmallTable
        title="Files"
        count={files.length}
        rows={files}
        columns={columnsOf({ path, mayEdit, onBegin: beginWithdrawal, onDone })}
        idOf={({ sha256 }) => sha256}
        mah={420}
        empty="No files. Drop files here, or choose “Attach files”."
        note="Files may be malicious. Each download is recorded in the audit log."
        actions={
          mayEdit && (
            <FileButton
              multiple
              resetRef={forgetChoice}
              onChange={(chosen) => {
                attach(chosen)
                forgetChoice.current?.()
              }}
            >
              {(props) => (
                <Button
                  {...props}
                  ref={attacher}
                  size="compact-xs"
                  variant="default"
                  leftSection={<UploadIcon />}
                >
                  Attach files
                </Button>
              )}
            </FileButton>
          )
        }
      >
        {uploads.length > 0 && <UploadList uploads={uploads} onDone={onDone} />}
      </SmallTable>
    </div>
  )
}

/** Files that are dragged over an element and dropped there. */
function useDrop(onFiles: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    // A file that misses the element would be opened by the browser instead of the page.
    const keepPage = (event: globalThis.DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault()
    }
    addEventListener('dragover', keepPage)
    addEventListener('drop', keepPage)
    return () => {
      removeEventListener('dragover', keepPage)
      removeEventListener('drop', keepPage)
    }
  }, [])
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files')
  return {
    ...(isOver && { 'data-dragged-over': true }),
    onDragOver(event: DragEvent) {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false)
    },
    onDrop(event: DragEvent) {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      onFiles([...event.dataTransfer.files])
    },
  }
}

interface ColumnsProps extends Pick<CaseFilesProps, 'path' | 'mayEdit' | 'onDone'> {
  /** The withdrawal of a file begins. */
  readonly onBegin: () => void
}

const columnsOf = ({ path, mayEdit, onBegin, onDone }: ColumnsProps): readonly SmallColumn<CaseFile>[] => [
  {
    title: 'File',
    cell: (file) => (
      <>
        <FileCell file={file} path={path} />
        {mayEdit && file.deleted_at === null && (
          <WithdrawFile
            name={file.name}
            path={`${path}/files/${file.sha256}`}
            onBegin={onBegin}
            onDone={onDone}
          />
        )}
      </>
    ),
  },
  {
    title: 'Size',
    isNumber: true,
    isNarrow: true,
    cell: ({ size }) => fileSize(size),
  },
]

function FileCell({ file, path }: { readonly file: CaseFile; readonly path: string }) {
  const { sha256, name, content_type, detected_type, deleted_at, deleted_by, deleted_reason, added_by } = file
  return (
    <>
      {deleted_at === null ? (
        <Anchor href={addressOf(`${path}/files/${sha256}`)} download size="sm" className="outside-text">
          {showInvisible(name)}
        </Anchor>
      ) : (
        <Text span size="sm" className="outside-text">
          {showInvisible(name)}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="outside-text">
        {content_type}
        {detected_type !== null && detected_type !== content_type && <> · looks like {detected_type}</>} ·
        attached by {showInvisible(actorText(added_by))} <DateTime at={file.added_at} />
      </Text>
      {deleted_at !== null && (
        <Text size="xs" c="dimmed" className="outside-text">
          {deleted_by === null ? (
            <>
              Content deleted <DateTime at={deleted_at} />
            </>
          ) : (
            <>
              Withdrawn by {showInvisible(actorText(deleted_by))} <DateTime at={deleted_at} />:{' '}
              {showInvisible(deleted_reason ?? '')}
            </>
          )}
        </Text>
      )}
      <Text size="xs" component="div">
        SHA-256 <Code className="outside-text">{sha256}</Code>
      </Text>
    </>
  )
}
