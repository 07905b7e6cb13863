import { Anchor, Code, Text } from '@mantine/core'
import { addressOf } from '../api/call.ts'
import type { ApiCaseDetail } from '../api/types.ts'
import { actorText, showInvisible } from '../parts/outside-text.ts'
import { SmallTable, type SmallColumn } from '../parts/small-table.tsx'
import { DateTime } from '../parts/times.tsx'

interface CaseFilesProps {
  readonly files: ApiCaseDetail['files']
  /** Path of the case in the API. */
  readonly path: string
}

/** The files of a case. They are saved and never shown, because they may be malware. */
export function CaseFiles({ files, path }: CaseFilesProps) {
  if (files.length === 0) return null
  return (
    <SmallTable
      title="Files"
      count={files.length}
      rows={files}
      columns={columnsOf(path)}
      idOf={({ sha256 }) => sha256}
      mah={420}
      empty=""
      note="Files come from other systems and may be malicious. Each download is recorded in the audit log."
    />
  )
}

const columnsOf = (path: string): readonly SmallColumn<CaseFilesProps['files'][number]>[] => [
  {
    title: 'File',
    cell: ({ sha256, name, content_type, deleted_at, added_by }) => (
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
          {content_type} · attached by {showInvisible(actorText(added_by))}
          {deleted_at !== null && (
            <>
              {' '}
              · content deleted <DateTime at={deleted_at} />
            </>
          )}
        </Text>
        <Text size="xs" component="div">
          SHA-256 <Code className="outside-text">{sha256}</Code>
        </Text>
      </>
    ),
  },
  { title: 'Size', isNumber: true, isNarrow: true, cell: ({ size }) => sizeText(size) },
  { title: 'Attached', isNarrow: true, cell: ({ added_at }) => <DateTime at={added_at} /> },
]

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  return bytes < 1_048_576 ? `${Math.ceil(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
}
