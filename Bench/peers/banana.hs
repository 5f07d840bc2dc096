-- reactive-banana: W1 to W3 as events and behaviors. One line each: name, ns an event, result.
--   ghc -O2 -package reactive-banana banana.hs -o banana
import Control.Monad
import Data.IORef
import Reactive.Banana
import Reactive.Banana.Frameworks
import System.CPUTime
import Text.Printf

measure :: String -> Int -> (Event Int -> MomentIO (Event Int)) -> IO ()
measure name events build = do
  (handler, fire) <- newAddHandler
  seen <- newIORef 0
  network <- compile $ do
    input <- fromAddHandler handler
    output <- build input
    reactimate $ fmap (\x -> x `seq` writeIORef seen x) output
  actuate network
  next <- newIORef 0
  let run count = do
        from <- readIORef next
        forM_ [from .. from + count - 1] fire
        writeIORef next (from + count)
  run (max 1 (events `div` 10))
  times <- forM [1 .. 5 :: Int] $ \_ -> do
    start <- getCPUTime
    run events
    end <- getCPUTime
    return (fromIntegral (end - start) / 1000 / fromIntegral events :: Double)
  result <- readIORef seen
  printf "%s %.2f %d\n" name (minimum times) result

main :: IO ()
main = do
  measure "W1" 50000 $ \e -> do
    let odd1 = filterE even (fmap (+ 1) e)
    accumE 0 (fmap (\x s -> let t = s + x * 3 in t `seq` t) odd1)
  measure "W2" 200 $ \e -> return (iterate (fmap (+ 1)) e !! 1000)
  measure "W3" 20000 $ \e -> do
    x <- stepper (-1) e
    let c = (+) <$> fmap (* 2) x <*> fmap (+ 1) x
    changes' <- changes c
    (late, fireLate) <- newEvent
    reactimate' $ fmap (fmap fireLate) changes'
    return late
