import { FileText, LoaderCircle, X } from "lucide-react";
import type { ReactNode } from "react";
import { TEST_IDS } from "../../testIds";
import { names } from "../../ui/names";
import { fileSize } from "../../ui/numbers";
import type { Attachment } from "../../wire/generated";
import { attachmentAddress } from "../../wire/http";
import styles from "./FileChips.module.css";
import { isPicture } from "./fileKinds";
import type { Upload } from "./uploads";

interface FileChipsProps {
  readonly files: readonly Attachment[];
  readonly uploads?: readonly Upload[];
  /** Without it, what was sent: each opens on its own. */
  readonly onRemove?: (file: Attachment) => void;
  readonly onCancel?: (upload: Upload) => void;
  readonly className?: string | undefined;
}

/** Files beside a text, pictures as pictures; all from this Talkfield, nothing from elsewhere (U11, U5). */
export function FileChips({ files, uploads = [], onRemove, onCancel, className }: FileChipsProps) {
  if (files.length === 0 && uploads.length === 0) return null;
  return (
    <ul className={names(styles.files, className)} aria-label="Files">
      {files.map((file) => (
        <Chip
          key={file.id}
          name={file.name}
          onRemove={onRemove && (() => onRemove(file))}
          remove={`Remove ${file.name}`}
        >
          {onRemove ? (
            <FileFace file={file} />
          ) : (
            <a
              className={styles.link}
              href={attachmentAddress(file)}
              target="_blank"
              rel="noreferrer"
              title={`Open ${file.name}`}
            >
              <FileFace file={file} />
            </a>
          )}
        </Chip>
      ))}
      {uploads.map((upload) => (
        <Chip
          key={upload.key}
          name={upload.name}
          onRemove={onCancel && (() => onCancel(upload))}
          remove={`Do not attach ${upload.name}`}
        >
          <LoaderCircle size={14} className={styles.spin} />
          <Words name={upload.name} sizeBytes={upload.sizeBytes} />
        </Chip>
      ))}
    </ul>
  );
}

interface ChipProps {
  readonly name: string;
  readonly remove: string;
  readonly onRemove: (() => void) | undefined;
  readonly children: ReactNode;
}

function Chip({ name, remove, onRemove, children }: ChipProps) {
  return (
    <li className={styles.chip} title={name} data-testid={TEST_IDS.file}>
      {children}
      {onRemove && (
        <button
          type="button"
          className={styles.remove}
          aria-label={remove}
          data-testid={TEST_IDS.fileRemove}
          onClick={onRemove}
        >
          <X size={12} />
        </button>
      )}
    </li>
  );
}

function FileFace({ file }: { readonly file: Attachment }) {
  return (
    <>
      {isPicture(file) ? (
        <img src={attachmentAddress(file)} alt="" className={styles.picture} loading="lazy" draggable={false} />
      ) : (
        <FileText size={15} className={styles.icon} />
      )}
      <Words name={file.name} sizeBytes={file.sizeBytes} />
    </>
  );
}

function Words({ name, sizeBytes }: { readonly name: string; readonly sizeBytes: number }) {
  return (
    <>
      <span className={styles.name}>{name}</span>
      <span className={styles.size}>{fileSize(sizeBytes)}</span>
    </>
  );
}
