import type { ChangeKind } from '../../core/domain/change.ts'
import { watchedTables } from '../sql/database/changes.ts'

/** A change of a row, by the keys of its organization and of itself. */
export interface NotedChange {
  readonly kind: ChangeKind
  readonly organization: number | null
  readonly key: number
}

/**
 * Bounds what a transaction notes, in characters: about a thousand rows. A transaction that changes more notes only that it changed many,
 * so that a bulk change stays cheap.
 */
const maxNoted = 16_384

/**
 * Triggers that note changes in the setting `tocsin.changes` of the transaction, one line per row. The driver reads it just before COMMIT. They
 * are triggers of rows: with `UPDATE OF`, updates of other columns cost nothing, and a rollback to a savepoint takes back what was noted.
 */
export function changeTriggers(): string {
  return [dropAll, ...watchedTables.map(triggersOf)].join('\n')
}

/** Reads the value of `tocsin.changes`, which is empty or null if nothing was noted. */
export function parseChanges(noted: string | null): readonly NotedChange[] | 'many' {
  if (noted === null) return []
  if (noted === 'many') return noted
  return noted.split('\n').slice(0, -1).map(parseChange)
}

function parseChange(line: string): NotedChange {
  const [kind = '', key, organization = ''] = line.split(' ')
  return {
    kind: kind as ChangeKind,
    organization: organization === '' ? null : Number(organization),
    key: Number(key),
  }
}

/** Also drops triggers of tables that are no longer watched. */
const dropAll = `
DO $$ DECLARE old regprocedure; BEGIN
  FOR old IN SELECT oid FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'note\\_%\\_change' LOOP
    EXECUTE 'DROP FUNCTION ' || old || ' CASCADE';
  END LOOP;
END $$;`

function triggersOf({
  table,
  kind,
  columns,
  organization,
  key = 'row.id',
  alsoNew,
  when,
}: (typeof watchedTables)[number]): string {
  const update =
    columns === undefined ? ' OR UPDATE' : columns.length === 0 ? '' : ` OR UPDATE OF ${columns.join(', ')}`
  const trigger = (event: string, row: 'NEW' | 'OLD'): string => {
    const inRow = (sql: string): string => sql.replaceAll(/\brow\b/g, row)
    const name = `note_${row.toLowerCase()}_${table}_change`
    const also =
      row === 'NEW' && alsoNew !== undefined
        ? note(kind, inRow(organization), inRow(alsoNew), `TG_OP = 'INSERT' AND`)
        : ''
    return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE noted text := coalesce(current_setting('tocsin.changes', true), ''); noted_key bigint;
BEGIN${note(kind, inRow(organization), inRow(key))}${also}
  RETURN NULL;
END $$;
CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW ${when === undefined ? '' : `WHEN (${inRow(when)}) `}EXECUTE FUNCTION ${name}();`
  }
  return `${trigger(`INSERT${update}`, 'NEW')}${trigger('DELETE', 'OLD')}`
}

/** The organization is looked up only for a row that was not noted before. */
const note = (kind: ChangeKind, organization: string, key: string, condition = ''): string => `
  noted_key := ${key};
  IF ${condition} noted <> 'many' AND noted_key IS NOT NULL AND strpos(noted, '${kind} ' || noted_key || ' ') = 0 THEN
    noted := CASE WHEN length(noted) > ${maxNoted} THEN 'many'
      ELSE noted || '${kind} ' || noted_key || ' ' || coalesce(CAST(${organization} AS text), '') || E'\\n' END;
    PERFORM set_config('tocsin.changes', noted, true);
  END IF;`
