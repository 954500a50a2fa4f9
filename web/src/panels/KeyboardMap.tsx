import { KEY_MAP } from "../canvas/keyMap";
import { TEST_IDS } from "../testIds";
import { Dialog } from "../ui/Dialog";
import styles from "./KeyboardMap.module.css";

/** Every key there is (U9). */
export function KeyboardMap({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose} testId={TEST_IDS.keyboardMap}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={styles.map} aria-label="Keys" tabIndex={0}>
        <div className={styles.parts}>
          {KEY_MAP.map(({ title, lines }) => (
            <div key={title} className={styles.part}>
              <h3 className={styles.title}>{title}</h3>
              <dl className={styles.lines}>
                {lines.map(({ keys, words }) => (
                  <div key={keys} className={styles.line}>
                    <dt className={styles.words}>{words}</dt>
                    <dd className={styles.keys}>{keys}</dd>
                  </div>
                ))}
              </dl>
            </div>
          ))}
        </div>
      </section>
    </Dialog>
  );
}
