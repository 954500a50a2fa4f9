import { ReactFlowProvider } from "@xyflow/react";
import { useCallback, useEffect, useState } from "react";
import { Canvas } from "./canvas/Canvas";
import { CanvasKeys } from "./canvas/CanvasKeys";
import { EmptyCanvas } from "./canvas/EmptyCanvas";
import { FullScreenChat } from "./canvas/FullScreenChat";
import type { Point } from "./canvas/freePlace";
import type { Client } from "./client";
import { useLoaded, useSettings } from "./mirror/hooks";
import { Announcer } from "./panels/Announcer";
import { CommandPalette } from "./panels/CommandPalette";
import { ConnectionBanner } from "./panels/ConnectionBanner";
import { KeyboardMap } from "./panels/KeyboardMap";
import { OpenSettingsProvider } from "./panels/openSettings";
import { PageWindows } from "./panels/PageWindows";
import { type OpenedWindow, OpenWindowProvider, type PageWindow } from "./panels/pageWindows";
import { SettingsDialog, type SettingsTab } from "./panels/SettingsDialog";
import { ShelfDialog } from "./panels/shelf/ShelfDialog";
import { TopBar } from "./panels/TopBar";
import { WorkList } from "./panels/work/WorkList";
import { TalkfieldProvider } from "./Talkfield";
import { applyTheme } from "./theme";
import { NoticeList } from "./ui/NoticeList";
import type { NodeId } from "./wire/generated";

const NO_NODES: readonly NodeId[] = [];

export function App({ client }: { readonly client: Client }) {
  return (
    <TalkfieldProvider value={client}>
      <ReactFlowProvider>
        <Page />
      </ReactFlowProvider>
    </TalkfieldProvider>
  );
}

function Page() {
  const settings = useSettings();
  const loaded = useLoaded();
  const [settingsTab, setSettingsTab] = useState<SettingsTab | null>(null);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const [shelfOpen, setShelfOpen] = useState(false);
  const [pageWindow, setPageWindow] = useState<OpenedWindow | null>(null);
  const openWindow = useCallback(
    (window: PageWindow, nodes: readonly NodeId[] = NO_NODES, at?: Point) =>
      setPageWindow({ window, nodes, ...(at && { at }) }),
    [],
  );
  const closeWindow = useCallback(() => setPageWindow(null), []);
  const [keysOpen, setKeysOpen] = useState(false);
  const openKeys = useCallback(() => setKeysOpen(true), []);
  const openShelf = useCallback(() => setShelfOpen(true), []);
  const openPalette = useCallback(() => setPaletteOpen(true), []);
  const theme = settings?.theme ?? "system";
  useEffect(() => {
    if (loaded) applyTheme(theme);
  }, [loaded, theme]);
  return (
    <OpenWindowProvider value={openWindow}>
      <OpenSettingsProvider value={setSettingsTab}>
        <TopBar onShelf={openShelf} />
        {loaded && <Canvas />}
        <EmptyCanvas />
        <FullScreenChat />
      </OpenSettingsProvider>
      <ConnectionBanner />
      <WorkList />
      <NoticeList />
      <Announcer />
      <CanvasKeys onPalette={openPalette} onKeys={openKeys} />
      {keysOpen && <KeyboardMap onClose={() => setKeysOpen(false)} />}
      {settingsTab && <SettingsDialog tab={settingsTab} onClose={() => setSettingsTab(null)} />}
      {shelfOpen && <ShelfDialog onClose={() => setShelfOpen(false)} />}
      {paletteOpen && (
        <CommandPalette
          onShelf={openShelf}
          onKeys={openKeys}
          onClose={() => setPaletteOpen(false)}
          onSettings={() => {
            setPaletteOpen(false);
            setSettingsTab("providers");
          }}
        />
      )}
      <PageWindows open={pageWindow} onClose={closeWindow} />
    </OpenWindowProvider>
  );
}
