"""The network between table and broker, to be cut, slowed, and made to swallow what is sent; it asks nothing of it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from types import TracebackType
from typing import Self

HOST = "127.0.0.1"
CHUNK = 65_536


class Proxy:
    """A TCP port that leads to the broker's, as long as it is let.

    Args:
        to_port: the broker's, on this machine.
    """

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._delay_s = 0.0
        self._is_cut = False
        self._is_swallowing = False
        self._ways: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._carry_both_ways, HOST, 0), self._loop
        ).result()
        self.port = int(self._server.sockets[0].getsockname()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def cut(self) -> None:
        """Every connection ends, and none is made."""
        self._is_cut = True
        self._loop.call_soon_threadsafe(self._drop_all)

    def delay(self, seconds: float) -> None:
        """Everything takes this much longer, each way."""
        self._delay_s = seconds

    def swallow(self) -> None:
        """Nothing that is sent arrives, and nobody is told."""
        self._is_swallowing = True

    def mend(self) -> None:
        """As good as new; a connection that has lost something on the way is ended."""
        if self._is_swallowing:
            self._loop.call_soon_threadsafe(self._drop_all)
        self._is_cut = self._is_swallowing = False
        self._delay_s = 0.0

    def _drop_all(self) -> None:
        for way in self._ways:
            way.transport.abort()

    async def _end(self) -> None:
        self._server.close()
        await self._server.wait_closed()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _carry_both_ways(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ways.add(writer)
        try:
            if self._is_cut:
                return
            with contextlib.suppress(OSError):
                far_reader, far_writer = await asyncio.open_connection(HOST, self._to_port)
                self._ways.add(far_writer)
                try:
                    await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))
                finally:
                    self._ways.discard(far_writer)
                    far_writer.transport.abort()
        finally:
            self._ways.discard(writer)
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(CHUNK):
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                if not self._is_swallowing:
                    writer.write(data)
                    await writer.drain()
        finally:
            writer.transport.abort()  # one way gone, the other goes too
