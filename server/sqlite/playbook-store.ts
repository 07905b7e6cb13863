import type { PlaybookStore, StoredPlaybook } from '../../core/ports.ts'
import type { StoreContext } from './store-context.ts'

const select = 'SELECT p.name, p.hash, p.source, p.origin, p.created_at AS createdAt FROM playbooks p'

export class SqlitePlaybookStore implements PlaybookStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  put({ name, hash, source, origin }: Omit<StoredPlaybook, 'createdAt'>): Promise<void> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      database.run(
        'INSERT INTO playbooks (name, hash, source, origin, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        name,
        hash,
        source,
        origin,
        clock.now(),
      )
      database.run(
        `INSERT INTO newest_playbooks (name, playbook_id)
           SELECT name, id FROM playbooks WHERE name = ? AND hash = ?
         ON CONFLICT (name) DO UPDATE SET playbook_id = excluded.playbook_id`,
        name,
        hash,
      )
    })
  }

  list(): Promise<readonly StoredPlaybook[]> {
    const { database } = this.#context
    return database.read(() =>
      database.all<StoredPlaybook>(
        `${select} JOIN newest_playbooks n ON n.playbook_id = p.id ORDER BY p.name`,
      ),
    )
  }

  find(name: string): Promise<StoredPlaybook | undefined> {
    const { database } = this.#context
    return database.read(() =>
      database.get<StoredPlaybook>(
        `${select} JOIN newest_playbooks n ON n.playbook_id = p.id WHERE n.name = ?`,
        name,
      ),
    )
  }

  findByHash(hash: string): Promise<StoredPlaybook | undefined> {
    const { database } = this.#context
    return database.read(() =>
      database.get<StoredPlaybook>(`${select} WHERE p.hash = ? ORDER BY p.id LIMIT 1`, hash),
    )
  }
}
